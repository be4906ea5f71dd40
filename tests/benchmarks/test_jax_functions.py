"""The table of functions of JAX arrays, from a stand-in for what processes measure, and one real process."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.bench import Tools
from benchmarks.peers.sdf_text import sdf_text
from benchmarks.tables import Remarks
from benchmarks.themes import jax_functions

import screwgraph as sg
from screwgraph.ui.bench import Budget

TOOLS = Tools(Budget(0.002, 3, 8, 16), None, lambda line: None, patience=120.0)


def test_rows_compare_peers_with_ours_and_absent_ones_are_not_measured(monkeypatch):
    base = {
        "ready": 1.0,
        "batch ready": 1.5,
        "one": 5e-6,
        "floor": 4e-6,
        "step": 5e-7,
        "many": 4096e-8,
        "answers": [[1.0, 2.0]],
    }
    found = {
        "screwgraph": base,
        "frax": {**base, "one": 6e-5, "step": 5e-6, "many": 4096e-6, "answers": [[1.0, 2.002]]},
        "adam": {**base, "one": 4e-5, "step": 1e-6, "many": 4096e-6},
        "jaxsim": {"reason": "jaxsim is not installed (pip install jaxsim)"},
    }
    monkeypatch.setattr(jax_functions, "_found", lambda robot, question, library, tools: found[library])
    remarks = Remarks()
    ours, frax, adam, jaxsim = jax_functions.lines("ur5", "inverse", TOOLS, remarks)
    assert {len(row) + 2 for row in (ours, frax, adam, jaxsim)} == {len(jax_functions.COLUMNS)}
    assert frax[-7:] == ["12 x", "5.00", "10 x", "1000.0", "100 x", "1e-03", "yes"]
    assert adam[-1] == "NO: call, loop"
    assert jaxsim[1] == "-"
    assert any("jaxsim is not installed" in note for note in remarks.notes())


@pytest.mark.suite
def test_a_process_measures_ours():
    pytest.importorskip("jax")
    found = jax_functions._found("panda7", "inverse", "screwgraph", TOOLS)
    assert "reason" not in found
    assert np.shape(found["answers"]) == (16, 7)
    assert 0.0 < found["step"] < found["one"] < 1.0


def test_sdf_holds_what_the_urdf_says(tmp_path):
    arm = sg.load("panda")
    sg.save(arm, tmp_path / "panda.urdf")
    (tmp_path / "panda.sdf").write_text(sdf_text((tmp_path / "panda.urdf").read_text(), fixed=True))
    again, q = sg.load(tmp_path / "panda.sdf"), np.linspace(0.1, 0.7, 7)
    assert again.nv == arm.nv
    np.testing.assert_allclose(sg.mass_matrix(again)(q), sg.mass_matrix(arm)(q), rtol=1e-9, atol=1e-12)
