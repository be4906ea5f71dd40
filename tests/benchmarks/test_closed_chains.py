"""The table of closed chains: Pinocchio's two ways agree with ours, and what it cannot do is a line."""

from __future__ import annotations

import numpy as np
import pytest
from benchmarks.bench import Tools
from benchmarks.closed_subjects import ClosedSubject, closed_case, violation
from benchmarks.peers.loops import CONVERGED, WAYS, LoopsFromPython, LoopsInCpp
from benchmarks.themes import THEMES, closed_chains
from examples.chignoli_2023_robots import chain

import screwgraph as sg
from screwgraph.ui.bench import Budget, NotMeasuredError, relative_error
from tests.benchmarks.test_native import compiler, never_build

TINY = Budget(seconds=0.001, rounds=2, states=8, batch=16)


def four_bars():
    return chain("four_bar", 2, floating=False)


@pytest.mark.parametrize("way", WAYS)
def test_both_of_pinocchios_ways_answer_as_we_do(way):
    pytest.importorskip("pinocchio")
    case = closed_case(four_bars(), TINY.states)
    f = sg.forward_dynamics(case.robot, ordering="embedding")
    ours, theirs = f(*case.states.arguments(f)), LoopsFromPython(way, CONVERGED).measure(case, TINY).answers
    assert relative_error(ours, theirs) < 1e-5  # regularised, at positions of which some are nearly singular
    assert violation(case, ours) < 1e-10


def test_pinocchio_in_cpp_answers_as_in_python():
    pytest.importorskip("pinocchio")
    case = closed_case(four_bars(), TINY.states)
    for way in WAYS:
        try:
            found = LoopsInCpp(way, compiler(), never_build).measure(case, TINY)
        except NotMeasuredError as reason:
            pytest.skip(str(reason))
        assert (
            relative_error(found.answers, LoopsFromPython(way).measure(case, TINY).answers) < 1e-6
        )  # 1/mu times rounding


def test_a_wrong_acceleration_violates_the_constraints():
    case = closed_case(four_bars(), TINY.states)
    assert violation(case, np.ones_like(case.states.qd)) > 0.1


@pytest.mark.suite
def test_gears_are_a_line_and_the_table_is_whole(monkeypatch):
    subjects = [ClosedSubject("bars", four_bars, 4.0), ClosedSubject("gears", lambda: chain("rotor", 1))]
    monkeypatch.setattr(closed_chains, "closed_subjects", lambda: subjects)
    monkeypatch.setattr(closed_chains, "LoopsInCpp", lambda *_: LoopsFromPython("lcaba"))
    monkeypatch.setattr(closed_chains, "find_compiler", lambda _: refuse())
    sheet = THEMES["closed"]([], Tools(TINY, None, lambda line: None))
    assert {len(row) for row in sheet.rows} == {len(sheet.columns)}
    assert [row[0] for row in sheet.rows] == ["bars (6)", "gears (8)"]
    (line,) = [note for note in sheet.notes if "gears do" in note]
    assert line.endswith("(gears (8))")


def refuse():
    raise NotMeasuredError("no C++ compiler: install one")
