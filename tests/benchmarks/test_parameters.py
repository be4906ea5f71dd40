"""The table of parameters as inputs."""

from benchmarks.bench import Tools
from benchmarks.subjects import SUBJECTS
from benchmarks.themes import parameters

import screwgraph as sg
from screwgraph.ui.bench import Budget

TINY = Budget(seconds=0.002, rounds=3, states=8, batch=16)


def test_a_row_of_a_small_robot():
    subject = next(s for s in SUBJECTS if s.name == "puma560")
    cells = parameters.row(subject, sg.load("puma560"), "inverse", Tools(TINY, None, lambda line: None))
    assert len(cells) == len(parameters.COLUMNS)
    named = dict(zip(parameters.COLUMNS, cells, strict=True))
    assert named["at most 0.9"] == "yes"
    assert int(named["operations, constants"]) < int(named["all inertias inputs"])
