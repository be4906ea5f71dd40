"""The table of inverse kinematics: what is solved is counted, and peers that are not here are named."""

from __future__ import annotations

import numpy as np
from benchmarks.peers import inverse_peers
from benchmarks.tables import Remarks
from benchmarks.themes import inverse_kinematics as theme

import screwgraph as sg
from screwgraph.ui.bench import NotMeasuredError


def test_rows_of_a_robot(monkeypatch):
    def absent(*_):
        raise NotMeasuredError("it is not installed")

    monkeypatch.setattr(theme, "POSES", 30)
    monkeypatch.setattr(theme, "FEW", 2)
    monkeypatch.setattr(inverse_peers, "PEERS", {"absent": absent, "Pinocchio": inverse_peers.pinocchio})
    remarks = Remarks()
    rows = theme.rows("puma560 (6)", sg.load("puma560"), lambda text: None, remarks)
    assert {len(row) for row in rows} == {len(theme.COLUMNS)}
    assert [row[1] for row in rows] == ["screwgraph", "absent", "Pinocchio"]
    assert rows[0][3] == "100.00%"
    assert "absent not measured: it is not installed" in remarks.notes()[0]


def test_what_is_off_is_not_counted():
    robot = sg.load("puma560")
    q = sg.random(robot, (2,), seed=0)
    T = sg.forward_kinematics(robot, "link6")(q)
    answers = iter([q[0], q[0], q[1] + np.array([1e-5, 0.0, 0.0, 0.0, 0.0, 0.0])])  # the first call is not measured
    found = theme.timed(robot, "link6", T, lambda pose: next(answers))
    assert found.is_solved.tolist() == [True, False]
