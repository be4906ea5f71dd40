"""The table of estimators on stairs."""

import pytest
from benchmarks.bench import Tools
from benchmarks.themes import legged

from benchmarks import staircase
from screwgraph.ui.bench import Budget

TINY = Budget(seconds=0.002, rounds=3, states=8, batch=16)


@pytest.mark.extra
def test_a_row_for_each_estimator(monkeypatch):
    pytest.importorskip("gtsam")
    few = list(staircase.events())[:12]
    monkeypatch.setattr(staircase, "events", lambda: iter(few))
    monkeypatch.setattr(legged.staircase_factors, "events", lambda: iter(few))
    monkeypatch.setattr(legged.quadruped, "updates", lambda window, count: [1e-3 * window])
    sheet = legged.table([], Tools(TINY, None, lambda line: None))
    assert [row[0].split(",")[0] for row in sheet.rows] == [*legged.THEIRS.values(), *["LeggedSmoother"] * 3]
    assert "2.00 ms in windows of 2" in sheet.notes[-1]
    assert all(len(row) == len(legged.COLUMNS) for row in sheet.rows)
    from_all_factors = float(sheet.rows[4][-1])
    assert from_all_factors < 0.01  # mm; nothing has left the lag yet
