"""Functions that kernels bring along: against the C library, over the range of doubles."""

from __future__ import annotations

import math

import numpy as np
import pytest

from screwgraph.compiler.backends.ptx import compile_ptx
from screwgraph.tape import OPERATIONS, Program
from tests.compiler.backends.ptx.interpreter import on_interpreter

EPS = np.finfo(float).eps
RNG = np.random.default_rng(5)


def computed(name: str, *operands: np.ndarray) -> np.ndarray:
    """Run a kernel of one operation."""
    names = ("a", "b")[: len(operands)]
    program = Program(names, (*(("input", i) for i in range(len(names))), (name, *range(len(names)))), (len(names),))
    text = compile_ptx("f", program, [((), (n,)) for n in names], [()], "float64")
    return on_interpreter(text, operands, [np.empty_like(operands[0])], 64)[0]


def signed(*exponents: float) -> np.ndarray:
    """Return numbers of both signs, over powers of ten."""
    size = 10.0 ** RNG.uniform(*exponents, 300)
    return size * RNG.choice([-1.0, 1.0], 300)


@pytest.mark.parametrize(
    ("name", "x", "units"),
    [
        ("exp", RNG.uniform(-745, 709, 300), 4),
        ("exp", signed(-20, 0), 4),
        ("log", np.abs(signed(-320, 308)), 4),
        ("log", 1.0 + signed(-15, -1), 4),
        ("atan", signed(-300, 300), 6),
        ("atan", signed(-2, 2), 6),
        ("sinh", signed(-300, 2.8), 6),
        ("cosh", signed(-3, 2.8), 6),
        ("tanh", signed(-300, 2), 6),
        ("asinh", signed(-300, 300), 6),
        ("asinh", signed(-3, 3), 6),
        ("acosh", 1.0 + np.abs(signed(-10, 300)), 6),
        ("atanh", signed(-300, 0) * (1 - 1e-15), 6),
        ("erf", signed(-300, 1), 8),
        ("erf", RNG.uniform(-6, 6, 300), 8),
        ("tan", RNG.uniform(-1.5, 1.5, 300), 6),
        ("asin", RNG.uniform(-1, 1, 300), 6),
        ("acos", RNG.uniform(-1, 1, 300), 6),
    ],
)
def test_functions_of_one_number_lose_some_units_of_the_last_place(name, x, units):
    expected = OPERATIONS[name].values(x)
    # Numbers so small that they have lost digits are right to one of the smallest.
    assert (np.abs(computed(name, x) - expected) <= units * EPS * np.abs(expected) + 5e-324).all()


def test_angles_of_two_numbers_and_remainders():
    y, x = signed(-300, 300), signed(-300, 300)
    np.testing.assert_allclose(computed("atan2", y, x), np.arctan2(y, x), rtol=8 * EPS, atol=6 * 5e-324)
    near = signed(-2, 2)
    np.testing.assert_allclose(computed("atan2", near, x), np.arctan2(near, x), rtol=8 * EPS, atol=6 * 5e-324)
    np.testing.assert_array_equal(computed("fmod", y, x), np.fmod(y, x))  # remainders are exact
    whole = np.round(signed(0, 8))
    np.testing.assert_array_equal(computed("fmod", whole * 3.0, whole[::-1]), np.fmod(whole * 3.0, whole[::-1]))


def test_powers_lose_what_their_logarithm_is_large():
    x, y = np.abs(signed(-100, 100)), signed(-2, 0)
    expected, lost = np.power(x, y), 4 * EPS * (1.0 + np.abs(y * np.log(x)))
    assert (np.abs(computed("pow", x, y) - expected) <= lost * expected).all()
    base, times = signed(-1, 1), np.round(RNG.uniform(-8, 8, 300))
    np.testing.assert_allclose(computed("pow", base, times), np.power(base, times), rtol=100 * EPS)


@pytest.mark.parametrize("name", ["sin", "cos"])
def test_sines_hold_up_to_where_numbers_are_a_quarter_of_a_radian_apart(name):
    x = np.concatenate([RNG.uniform(-10, 10, 200), signed(0, 5), signed(5, 15)])
    assert np.abs(computed(name, x) - [getattr(math, name)(v) for v in x]).max() <= 2 * EPS
    assert np.isnan(computed(name, np.array([2.0**51, -1e300, np.inf, np.nan]))).all()
