"""Code of tapes that merge by value computes what code of tapes that merge by form does, whatever the sizes."""

import math
from fractions import Fraction
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from screwgraph.compiler import compile_expression, make_numbered_argument
from screwgraph.spatial.manifolds import SE2, FloatingPose, UnitQuaternion, product
from screwgraph.tape import SAMPLES, WIDE, Scalar, Tape, program, residues
from tests.suites import in_suites
from tests.tape.expressions import INPUTS, bounded, evaluate, inputs

ROUNDING = 64.0 * 2.0**-53
"""Of each operation; programs have fewer than that in a row."""
SIZES = (1e-30, 1e-20, 1e-16, 1e-12, 1e-8, 1e8, 1e12, 1e16, 1e20, 1e30)
ROUNDED = (0.1, 0.3, 0.03, 1.0 / 3.0, 3.0, 1.0 / 6.0, 0.6, 0.8)
"""Products and sums of these agree with others but for rounding."""

leaves = st.integers(0, len(INPUTS) - 1) | st.sampled_from((*SIZES, *ROUNDED, 1.0, -1.0, 2.0, 0.5))
trees = st.recursive(
    leaves,
    lambda sub: st.tuples(st.sampled_from("+-**/"), sub, sub) | st.tuples(st.sampled_from(["neg", "sin", "cos"]), sub),
    max_leaves=8,
)
exponents = st.lists(st.floats(-12.0, 12.0), min_size=len(INPUTS), max_size=len(INPUTS))
states = st.lists(exponents, min_size=1, max_size=6)


def combined(a, b, c):
    """Return trees that hold the same values by several routes, small ones beside large ones."""
    total = ("+", a, b)
    cases = [a, total, ("-", total, a), ("-", ("*", total, c), ("*", a, c)), ("/", ("*", total, c), b)]
    return [*cases, ("*", ("+", ("*", total, c), 1.0), c), ("-", ("*", total, total), ("*", a, a))]


def by_form():
    tape = Tape(merge="form")
    return [tape.input(name) for name in INPUTS]


def written(scalars, several):
    return program(scalars[0].tape, [evaluate(tree, scalars) for tree in several], INPUTS)


def bound(tree, x):
    """Return how far rounding may move a tree's value at x; None where it leaves nothing of a divisor."""
    try:
        with np.errstate(over="raise", divide="raise", invalid="raise"):
            found = bounded(evaluate(tree, [bounded(np.float64(entry)) for entry in x]))
    except ArithmeticError:
        return None
    return found.error if math.isfinite(found.error) else None


@pytest.mark.parametrize("count", [60, in_suites(3000)])
def test_random_programs(count):
    settings(deadline=None, max_examples=count)(given(trees, trees, trees, states)(check_program))()


def check_program(a, b, c, scales):
    """Differences are what rounding explains at each state; entries of states are from 1e-12 to 1e12."""
    several = combined(a, b, c)
    tried = [10.0 ** np.array(e) * (0.71, -1.18, 1.62) for e in scales]
    try:
        with np.errstate(divide="raise", invalid="raise"):  # of constants
            merged, plain = (written(scalars, several) for scalars in (inputs(*INPUTS), by_form()))
    except ArithmeticError:
        assume(False)
    for x in tried:
        with np.errstate(all="ignore"):
            found, expected = merged.evaluate(list(x)), plain.evaluate(list(x))
        for tree, y, z in zip(several, found, expected, strict=True):
            error = bound(tree, x)
            assert error is None or abs(y - z) <= ROUNDING * error + 1e-290, (tree, x)


@pytest.mark.parametrize("size", [1e-30, 1e-16, 1e-8, 1.0, 1e8, 1e16, 1e30])
def test_a_small_term_is_kept_whatever_its_size(size):
    """It is the only one that varies, and what is added to it is not rounded."""
    x, y = cast(Any, inputs("x", "y"))
    total = x + size * y
    assert total is not x
    assert total - x == size * y
    assert isinstance(total - x, Scalar)


def test_a_series_keeps_its_constant_at_large_samples():
    """Of hundreds of rad, as steps of a second of light bodies turn by, 1 is nothing beside the last term."""
    tape, rng = Tape(), np.random.default_rng(0)
    (x,) = tape.vector(["x"], 1e3 * rng.normal(size=(SAMPLES + WIDE, 1)))
    total = 0.0
    for n in reversed(range(9)):
        total = total * x + (-1.0) ** n / math.factorial(2 * n + 1)
    (found,) = program(tape, [total]).evaluate([1e-6])
    assert found == pytest.approx(1.0, rel=1e-6)


def test_identities_of_angles_are_found():
    a, b = cast(Any, inputs("a", "b"))
    s, c = np.sin, np.cos
    assert s(a) * c(b) + c(a) * s(b) is s(a + b)
    assert 2.0 * s(a) * c(a) is s(2.0 * a)
    assert 1.0 - 2.0 * s(0.5 * a) * s(0.5 * a) is c(a)
    assert s(-a) is -s(a)
    assert c(-a) is c(a)
    assert (3.0 * s(a) - 4.0 * s(a) ** 3) is s(3.0 * a)
    assert np.tan(a) * c(a) is s(a)
    assert s(a) ** 2 + c(a) ** 2 == 1.0


def test_identities_of_other_functions_are_found():
    a, b = cast(Any, inputs("a", "b"))
    assert np.exp(a) * np.exp(b) is np.exp(a + b)
    assert np.cosh(a) ** 2 - np.sinh(a) ** 2 == 1.0
    assert np.tanh(a) * np.cosh(a) is np.sinh(a)
    root = a.sqrt()
    assert (root + b) * (root - b) is root * root - b * b
    assert abs(a) is not a
    assert (a * a).sqrt() is not a


def test_unit_quaternions_are_unit():
    tape, space = Tape(), FloatingPose()
    samples = np.array([space.random(np.random.default_rng(i)) for i in range(SAMPLES + WIDE)])
    q = tape.vector([f"q{i}" for i in range(7)], samples, space.quaternions)
    assert q[3] * q[3] + q[4] * q[4] + q[5] * q[5] + q[6] * q[6] == 1.0
    assert isinstance(q[0] * q[0] + q[1] * q[1] + q[2] * q[2], Scalar)


def test_products_of_rounded_constants_are_equal():
    """0.1 * 0.3 is 0.03 but for rounding, and so is what is multiplied by them."""
    x, y = cast(Any, inputs("x", "y"))
    assert (x * 0.1) * 0.3 is x * (0.1 * 0.3)
    assert (x * 0.1) * 0.3 + y is x * 0.03 + y
    assert (x * 3.0) * (1.0 / 3.0) is x
    assert x * 0.6 * 0.6 + x * 0.8 * 0.8 is x


@pytest.mark.parametrize("space", [FloatingPose(), UnitQuaternion(), SE2(), product([FloatingPose(), SE2()])], ids=str)
def test_random_steps(space):
    """Of all lengths, at velocities and accelerations of all sizes, that turn by less than 1 rad."""
    (n,), dim, rng = space.shape, space.dim, np.random.default_rng(2)
    arguments = tuple(
        make_numbered_argument(name, size) for name, size in (("q", n), ("qd", dim), ("qdd", dim), ("dt", 1))
    )

    def ahead(q, qd, qdd, dt):
        half = space.retract(q, (0.5 * dt[0]) * qd)
        end = space.retract(q, dt[0] * (qd + (0.5 * dt[0]) * qdd))
        return [*half, *end, *space.step_rate(dt[0] * qd, qd)]

    merged, plain = (
        compile_expression("steps", str(space), arguments, ahead, branches=b).program for b in (False, True)
    )
    dt, size = 10.0 ** rng.uniform(-12.0, 12.0, 500), 10.0 ** rng.uniform(-12.0, 0.0, 500)
    qd, qdd = (size / dt**power * rng.uniform(-0.5, 0.5, (dim, 500)) for power in (1, 2))
    x = [*np.array([space.random(rng) for _ in dt]).T, *qd, *qdd, dt]
    for found, expected in zip(merged.evaluate(x), plain.evaluate(x), strict=True):
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-14)


def test_residues_are_those_of_numbers():
    p = residues.PRIME
    for value in (0.0, 1.0, -3.0, 0.1, 1e300, -1e-300, 5e-324):
        exact = Fraction(value)
        assert residues.of_number(value) == exact.numerator * pow(exact.denominator, -1, p) % p
    assert residues.of_number(math.inf) is None


def test_points_of_angles_are_on_the_circle_and_add_up():
    rng = np.random.default_rng(0)
    a, b = (int(x) for x in rng.integers(0, residues.ANGLES, 2))
    (c, s), q = residues.cosine_and_sine(a), residues.cosine_and_sine(b)
    assert (c * c + s * s) % residues.PRIME == 1
    assert residues.product((c, s), q) == residues.cosine_and_sine((a + b) % residues.ANGLES)
    assert residues.cosine_and_sine(residues.ANGLES - a) == (c, residues.PRIME - s)


def test_rotations_of_rounded_vectors_are_equal_however_they_are_written():
    """Both are entry (0, 0) of the rotation matrix of a unit quaternion, times 0.1 times 0.3."""
    tape, space = Tape(), UnitQuaternion()
    samples = np.array([space.random(np.random.default_rng(i)) for i in range(SAMPLES + WIDE)])
    x, y, z, w = tape.vector([f"q{i}" for i in range(4)], samples, space.quaternions)
    squares = [a * a * 0.1 * 0.3 for a in (w, x, y, z)]
    assert squares[0] + squares[1] - squares[2] - squares[3] is 0.03 - 0.06 * (y * y) - 0.06 * (z * z)
