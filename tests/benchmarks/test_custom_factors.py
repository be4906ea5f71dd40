"""The table of factors inside GTSAM, on small problems."""

import pytest
from benchmarks.bench import Tools
from benchmarks.themes import custom_factors

from screwgraph.ui.bench import Budget


@pytest.mark.extra
def test_both_come_to_the_same_cost(monkeypatch):
    pytest.importorskip("gtsam")
    monkeypatch.setattr(custom_factors, "CHAIN", 60)
    monkeypatch.setattr(custom_factors, "ARM", 20)
    rows = custom_factors.table([], Tools(Budget(0.002, 3, 8, 16), None, lambda line: None)).rows
    for theirs, ours in zip(rows[::2], rows[1::2], strict=True):
        assert float(ours[-1]) == pytest.approx(float(theirs[-1]), rel=1e-4, abs=1e-9)
        assert len(theirs) == len(ours) == len(custom_factors.COLUMNS)
