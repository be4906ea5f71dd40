"""Angles of 1e9 rad and more: sums of angles lose no digit, and what is no angle is left alone."""

from __future__ import annotations

import math

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import compile_program
from screwgraph.tape import Program
from tests.large_angles import INPUTS, TURNED, large_and_small, turned

SPRUNG = Program(("a", "b"), (*INPUTS, ("add", 0, 1), ("sin", 3), ("mul", 3, 2), ("add", 0, 2)), (4, 5, 6))


@pytest.mark.parametrize("size", [1e5, 1e9, 1e14])
def test_sines_of_sums_are_exact(size):
    code = compile_program("turned", TURNED, [((2,), ("a", "b"))], [(2,)])
    x, _ = large_and_small(np.random.default_rng(1), (50, 2), size)
    expected = [turned(a, b) for a, b in x]
    # Beyond 1e5 each angle is reduced; below, a sum is rounded.
    tolerance = 1e-11 if size == 1e5 else 2e-15
    np.testing.assert_allclose(code.ufunc(x), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose([code.quick(row) for row in x], expected, rtol=0, atol=tolerance)


def test_springs_keep_their_angle():
    f = compile_program("sprung", SPRUNG, [((2,), ("a", "b"))], [(3,)]).ufunc
    for a, b in [(1e9, 3.0), (-2.5e6, 7e11)]:
        np.testing.assert_allclose(f([a, b]), [math.sin(a + b), 0.3 * (a + b), a + 0.3], rtol=1e-15)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_what_is_not_finite_gives_nan():
    f = compile_program("turned", TURNED, [((2,), ("a", "b"))], [(2,)]).ufunc
    x = np.zeros((17, 2))
    x[3], x[5] = (np.inf, 0.0), (1.0, np.nan)
    assert (np.isnan(f(x)).all(axis=1) == (~np.isfinite(x)).any(axis=1)).all()


@pytest.mark.parametrize("name", ["rr", "puma560", "five_bar"])
@pytest.mark.parametrize("query", [sg.inverse_dynamics, sg.forward_dynamics])
def test_robots_that_turned_a_hundred_million_times_move_as_if_they_had_not(name, query):
    """Revolute joints are periodic: whole turns, taken off exactly, change nothing."""
    robot, rng = sg.load(name), np.random.default_rng(2)
    f = query(robot)
    q, reduced = large_and_small(rng, (20, robot.nq), 1e9)
    rest = rng.normal(size=(2, 20, robot.nv))
    expected = f(reduced, *rest)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(f(q, *rest) / scale, expected / scale, rtol=0, atol=1e-12)
    one = np.array([f(*state) for state in zip(q, *rest, strict=True)])
    np.testing.assert_allclose(one / scale, expected / scale, rtol=0, atol=1e-12)
