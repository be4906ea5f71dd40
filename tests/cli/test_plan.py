"""`screwgraph plan`, as a user runs it."""

from __future__ import annotations

import numpy as np
import pytest

import screwgraph as sg

TASK = """robot: cart_pole
horizon: {steps: 20, dt: 0.05}
actuated: [x]
start: {position: [0, 0]}
goals:
  - {time: end, position: {x: 0.3}, velocity: 0}
costs: {effort: 1, velocity: 0.1}
limits: {effort: 12}
"""


@pytest.fixture
def task(tmp_path):
    path = tmp_path / "a task.yaml"
    path.write_text(TASK)
    return path


def test_a_plan_is_written_with_pictures_of_motion_and_costs(command, task, tmp_path):
    folder = tmp_path / "new" / "out"
    figures = command("plan", task, "-o", folder, "--json").json
    assert figures["status"] == "solved"
    assert figures["violation"] < 1e-6
    assert set(figures["costs"]) == {"cost 1", "cost 2"}
    assert sorted(p.name for p in folder.iterdir()) == ["costs.svg", "motion.svg", "plan.csv", "plan.npz"]
    expected = sg.plan(task)
    with np.load(folder / "plan.npz") as arrays:
        np.testing.assert_allclose(arrays["q"], expected.q, atol=1e-9)
        assert str(arrays["status"]) == "solved"
    head, *rows = (folder / "plan.csv").read_text().splitlines()
    assert head == "t,q:x[0],q:theta[0],qd:x[0],qd:theta[0],qdd:x[0],qdd:theta[0],tau:x[0],tau:theta[0]"
    assert len(rows) == 21


def test_what_is_not_feasible_is_called_so(command, task, tmp_path):
    task.write_text(TASK.replace("effort: 12", "effort: 0.1"))
    outcome = command("plan", task, "-o", tmp_path / "out")
    assert outcome.status == 1
    assert outcome.err.startswith(("infeasible: ", "not feasible: "))
    names = sorted(p.name for p in (tmp_path / "out").iterdir())
    assert names == ["costs.svg", "motion.svg", "plan.not_feasible.csv", "plan.not_feasible.npz"]


def test_bad_task_files_are_refused_in_one_line(refused, task, tmp_path):
    task.write_text(TASK.replace("costs", "prices"))
    outcome = refused(1, "plan", task, "-o", tmp_path / "out")
    assert "a task.yaml:7: a task: there is no key 'prices'" in outcome.err
    assert not (tmp_path / "out").exists()
    refused(1, "plan", "cp3", "-o", tmp_path / "out")
    refused(2, "plan", "cp2")
