"""Angles of 1e9 rad and more: sums of angles lose no digit, and what is no angle is left alone."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.compiler import compiled
from screwgraph.compiler.backends.llvm.wrap import angle_sums
from screwgraph.tape import Program

PI = Fraction(31415926535897932384626433832795028841971693993751058209749445923, 10**64)
INPUTS = (("input", 0), ("input", 1), ("constant", 0.3))
TURNED = Program(("a", "b"), (*INPUTS, ("sub", 0, 1), ("add", 3, 2), ("neg", 4), ("sin", 5), ("cos", 3)), (6, 7))
SPRUNG = Program(("a", "b"), (*INPUTS, ("add", 0, 1), ("sin", 3), ("mul", 3, 2), ("add", 0, 2)), (4, 5, 6))


def small(angle: Fraction) -> float:
    """Return an angle less whole turns, rounded once."""
    return float(angle - 2 * PI * round(angle / (2 * PI)))


def large_and_small(rng: np.random.Generator, shape: tuple[int, ...], size: float) -> tuple[np.ndarray, np.ndarray]:
    """Return angles up to some size, some of them ordinary, and the same less whole turns."""
    q = rng.uniform(-size, size, shape)
    q[..., ::3] = rng.uniform(-3.0, 3.0, q[..., ::3].shape)
    return q, np.vectorize(lambda x: small(Fraction(x)))(q)


def test_sums_that_only_sines_need_are_found():
    assert angle_sums(TURNED) == {3, 4, 5}
    assert angle_sums(SPRUNG) == set()


@pytest.mark.parametrize("size", [1e5, 1e9, 1e14])
def test_sines_of_sums_are_exact(size):
    code = compiled("turned", TURNED, [((2,), ("a", "b"))], [(2,)])
    x, _ = large_and_small(np.random.default_rng(1), (50, 2), size)
    differences = [Fraction(a) - Fraction(b) for a, b in x]
    expected = [(-math.sin(small(d + Fraction(0.3))), math.cos(small(d))) for d in differences]
    # Beyond 1e5 each angle is reduced; below, a sum is rounded.
    tolerance = 1e-11 if size == 1e5 else 2e-15
    np.testing.assert_allclose(code.ufunc(x), expected, rtol=0, atol=tolerance)
    np.testing.assert_allclose([code.quick(row) for row in x], expected, rtol=0, atol=tolerance)


def test_springs_keep_their_angle():
    f = compiled("sprung", SPRUNG, [((2,), ("a", "b"))], [(3,)]).ufunc
    for a, b in [(1e9, 3.0), (-2.5e6, 7e11)]:
        np.testing.assert_allclose(f([a, b]), [math.sin(a + b), 0.3 * (a + b), a + 0.3], rtol=1e-15)


@pytest.mark.filterwarnings("ignore:invalid value:RuntimeWarning")
def test_what_is_not_finite_gives_nan():
    f = compiled("turned", TURNED, [((2,), ("a", "b"))], [(2,)]).ufunc
    x = np.zeros((17, 2))
    x[3], x[5] = (np.inf, 0.0), (1.0, np.nan)
    assert (np.isnan(f(x)).all(axis=1) == (~np.isfinite(x)).any(axis=1)).all()


@pytest.mark.parametrize("name", ["rr", "puma560", "five_bar"])
@pytest.mark.parametrize("query", [sg.inverse_dynamics, sg.forward_dynamics])
def test_robots_that_turned_a_hundred_million_times_move_as_if_they_had_not(name, query):
    """Revolute joints are periodic: whole turns, taken off exactly, change nothing."""
    robot, rng = sg.load(name), np.random.default_rng(2)
    f = query(robot)
    q, turned = large_and_small(rng, (20, robot.nq), 1e9)
    rest = rng.normal(size=(2, 20, robot.nv))
    expected = f(turned, *rest)
    scale = np.abs(expected).max(axis=1, keepdims=True)
    np.testing.assert_allclose(f(q, *rest) / scale, expected / scale, rtol=0, atol=1e-12)
    one = np.array([f(*state) for state in zip(q, *rest, strict=True)])
    np.testing.assert_allclose(one / scale, expected / scale, rtol=0, atol=1e-12)
