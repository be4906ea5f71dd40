"""The table of fixed-lag windows."""

import pytest
from benchmarks.bench import Tools
from benchmarks.themes import windows as theme

from benchmarks import windows
from screwgraph.ui.bench import Budget

TINY = Budget(seconds=0.002, rounds=3, states=8, batch=16)


def test_a_row_for_each_size(monkeypatch):
    monkeypatch.setattr(theme, "WINDOWS", (5, 20))
    monkeypatch.setattr(theme, "SUBJECTS", (windows.PENDULUMS,))
    monkeypatch.setattr(theme, "HOURS", 0.01)
    monkeypatch.setattr(theme, "COUNT", 10)
    monkeypatch.setattr(theme, "first_updates", lambda name, window: (2.0, 1.0))
    monkeypatch.setattr(theme, "hours", lambda window, steps: (1e-5, 1e-5))
    sheet = theme.table([], Tools(TINY, None, lambda line: None))
    assert [row[2] for row in sheet.rows] == ["5", "20"]
    assert all(len(row) == len(theme.COLUMNS) for row in sheet.rows)
    assert sheet.rows[1][-2:] == ["2.00", "1.00"]


@pytest.mark.parametrize("name", ["four_bar_angle", "rr"])
def test_models_move_by_their_laws(name):
    lag = windows.smoother(name, 5)
    assert windows.updates(name, lag, 5, 2).shape == (2,)
