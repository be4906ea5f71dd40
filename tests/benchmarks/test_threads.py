"""The table of batches on several threads."""

from benchmarks.bench import Tools
from benchmarks.themes import threads

import screwgraph as sg
from screwgraph.ui.bench import Budget


def test_a_row_of_a_small_robot():
    tools = Tools(Budget(seconds=0.001, rounds=3, states=8, batch=16), None, lambda line: None)
    cells = threads.row(sg.load("rr"), "inverse", tools, samples=512)
    assert len(cells) == len(threads.COLUMNS) - 1
    assert float(cells[1]) > 0.0 < float(cells[3])
