"""The table of edited problems, on small ones."""

import pytest
from benchmarks.bench import Tools
from benchmarks.themes import incremental

from screwgraph.ui.bench import Budget


@pytest.mark.extra
def test_the_same_cost_as_isam2_and_the_same_plan_as_solve(monkeypatch):
    pytest.importorskip("gtsam")
    monkeypatch.setattr(incremental, "POSES", 120)
    monkeypatch.setattr(incremental, "STATES", 60)
    monkeypatch.setattr(incremental, "UPDATES", 3)
    *worlds, plan = incremental.table([], Tools(Budget(0.002, 3, 8, 16), None, lambda line: None)).rows
    for theirs, ours in zip(worlds[::2], worlds[1::2], strict=True):
        assert abs(float(ours[-1]) - float(theirs[-1])) <= 1e-4 * float(theirs[-1])
    assert {len(row) for row in (*worlds, plan)} == {len(incremental.COLUMNS)}
    assert incremental.plan_updates(60, 3)[1] < 1e-9
