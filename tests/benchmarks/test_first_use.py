"""First uses are measured in processes of their own."""

from __future__ import annotations

from benchmarks.bench import Tools
from benchmarks.first_uses import USES
from benchmarks.themes import first_use

from screwgraph.ui.bench import Budget

TOOLS = Tools(Budget(seconds=0.002, rounds=3, states=8, batch=16), None, lambda line: None, 60.0)


def test_a_use_is_measured_cold_and_cached():
    sheet = first_use.uses_table({"import": USES["import"]}, TOOLS)
    cells = dict(zip(sheet.columns, sheet.rows[0], strict=False))
    assert cells["use"] == "import"
    assert 0.0 < float(cells["cached, CPU s"]) < 60.0
