"""Times are CPU times of work that was done, and the roofline bounds everything."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.ui.bench import (
    QUESTIONS,
    Budget,
    fresh_cache,
    measure_nanoseconds,
    measure_query,
    measure_roofline,
    random_states,
    to_columns,
    to_padded_columns,
    to_rows,
)
from screwgraph.ui.bench.own_functions import evaluate_functions, relative_error

TINY = Budget(seconds=0.002, rounds=3, states=8, batch=32)


def work(loops: int) -> int:
    return sum(range(loops))


def test_ten_times_the_work_takes_about_ten_times_as_long():
    short, long = (measure_nanoseconds(TINY, work, loops) for loops in (2_000, 20_000))
    assert 5 < long / short < 20


def test_sleeping_takes_no_time():
    assert measure_nanoseconds(TINY, time.sleep, 0.001) < 5e5


def test_figures_of_a_robot_are_plausible():
    effort = replace(TINY, batch=1024)  # the cost of a call from Python is shared by many states
    measured, *others = [measure_query(sg.load("rr"), QUESTIONS[0], [], effort) for _ in range(3)]
    f = measured.own
    assert (measured.robot, measured.velocities, measured.question) == ("rr", 2, "inverse")
    assert f.operations == sg.inverse_dynamics(sg.load("rr")).operations.total
    figures = [f, *(other.own for other in others)]  # other programs may disturb some
    assert 0 < min(min(g.rows, g.columns) for g in figures) < min(g.call for g in figures)
    assert f.gigaflops == f.operations / min(f.rows, f.columns)
    assert min(f.compile, f.cached) > 0


def test_single_numbers_are_no_faster_than_vectors():
    found = measure_roofline(rounds=2)
    assert 0.5 < found.scalar <= 1.1 * found.vector
    assert found.width in (2, 4, 8)


@pytest.mark.parametrize(("layout", "fastest"), [(to_rows, -1), (to_columns, 0), (to_padded_columns, 0)])
def test_layouts_keep_the_numbers(layout, fastest):
    array = np.arange(12.0).reshape(4, 3)
    np.testing.assert_array_equal(layout(array), array)
    assert layout(array).strides[fastest] == array.itemsize


@pytest.mark.parametrize("question", QUESTIONS, ids=lambda q: q.name)
def test_every_question_has_answers_side_by_side(question):
    robot = sg.load("rrr")
    found = evaluate_functions(question.functions(robot), random_states(robot, 5))
    shapes = {"inverse": (5, 3), "forward": (5, 3), "mass_matrix": (5, 3, 3), "inverse_mass_matrix": (5, 3, 3)}
    assert found.shape == shapes.get(question.name, (5, 3, 9))


def test_the_error_is_relative_to_each_state():
    expected = np.array([[100.0, 0.0], [1.0, 0.0]])
    assert relative_error(expected + np.array([[1.0, 0.0], [0.0, 0.2]]), expected) == pytest.approx(0.2)


def test_the_fresh_cache_is_gone_afterwards(monkeypatch):
    monkeypatch.setenv("SCREWGRAPH_CACHE_DIR", "kept")
    monkeypatch.delenv("SCREWGRAPH_CACHE", raising=False)
    import os

    with fresh_cache() as said:
        folder = said["SCREWGRAPH_CACHE_DIR"]
        assert os.environ["SCREWGRAPH_CACHE_DIR"] == folder
        assert os.path.isdir(folder)
    assert os.environ["SCREWGRAPH_CACHE_DIR"] == "kept"
    assert "SCREWGRAPH_CACHE" not in os.environ
    assert not os.path.exists(folder)
