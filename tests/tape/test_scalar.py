"""What a tape simplifies while it is written."""

import math

import numpy as np
import pytest

from screwgraph.tape import SAMPLES, Scalar, Tape, program, reciprocal
from tests.tape.expressions import inputs


def count(scalar: Scalar) -> int:
    return len(scalar.tape.nodes)


def operation(scalar: Scalar) -> str:
    return scalar.tape.nodes[scalar.id][0]


def test_the_squares_of_sine_and_cosine_add_up_to_the_constant_one():
    (x,) = inputs("x")
    assert x.sin() * x.sin() + x.cos() * x.cos() == 1.0


def test_the_addition_theorem_is_seen():
    x, y = inputs("x", "y")
    assert x.sin() * y.cos() + x.cos() * y.sin() is (x + y).sin()


def test_a_difference_that_vanishes_is_the_constant_zero():
    x, y = inputs("x", "y")
    assert x - x == 0.0
    assert (x + y) * (x - y) - (x * x - y * y) == 0.0
    assert x * y / (x + y) - reciprocal(reciprocal(x) + reciprocal(y)) == 0.0


def test_a_small_difference_that_does_not_vanish_stays():
    x, y = inputs("x", "y")
    small = (x + 1e-10 * y) - x
    assert isinstance(small, Scalar)
    assert program(small.tape, [small], ["x", "y"]).evaluate([0.5, 3.0]) == [pytest.approx(3e-10, rel=1e-6)]


def test_neutral_elements_leave_no_trace():
    (x,) = inputs("x")
    nodes = count(x)
    assert x + 0.0 is x
    assert x - 0.0 is x
    assert 0.0 + x is x
    assert x * 1.0 is x
    assert x / 1.0 is x
    assert x * 0.0 == 0.0
    assert +x is x
    assert count(x) == nodes


def test_double_negation_and_double_reciprocal_vanish():
    x, y = inputs("x", "y")
    minus_x = -x
    assert -minus_x is x
    assert reciprocal(reciprocal(x)) is x
    assert x / (1.0 / y) is x * y


def test_signs_move_into_sums_and_out_of_products():
    x, y = inputs("x", "y")
    assert -(x - y) is y - x
    assert x + (-y) is x - y
    assert x - (-y) is x + y
    assert (-x) * (-y) is x * y
    assert (-x) * y is -(x * y)
    assert -1.0 * x is -x
    assert 0.0 - x is -x
    assert reciprocal(-x) is -reciprocal(x)


def test_operands_commute():
    x, y = inputs("x", "y")
    assert x + y is y + x
    assert x * y is y * x


def test_what_was_computed_once_is_not_computed_again():
    x, y = inputs("x", "y")
    first = (x + y).sin() * 2.0
    nodes = count(x)
    assert (x + y).sin() * 2.0 is first
    assert (y + x).sin() + (x + y).sin() is first
    assert count(x) == nodes


def test_inputs_are_never_taken_for_each_other():
    tape = Tape()
    x, y = (tape.input(name, [0.25] * 68) for name in "xy")
    assert x is not y


def test_a_scalar_knows_its_samples():
    x, y = inputs("x", "y")
    f = (x * y - x.cos()) / (2.0 + y)
    expected = [(a * b - math.cos(a)) / (2.0 + b) for a, b in zip(x.samples, y.samples, strict=True)]
    assert len(f.samples) == SAMPLES
    assert f.samples == pytest.approx(expected, rel=1e-15)


def test_wide_samples_agree_with_the_expression():
    x, y = inputs("x", "y")
    tape = x.tape
    a, b = tape.wide_samples(x), tape.wide_samples(y)
    assert tape.wide_samples(x * y - x.sin() / 3.0) == pytest.approx(a * b - np.sin(a) / 3.0, rel=1e-14)


def test_the_reciprocal_of_zero_is_infinite():
    assert reciprocal(0.0) == math.inf


@pytest.mark.parametrize("other", ["1", None, [1.0]])
def test_arithmetic_with_anything_but_numbers_is_refused(other):
    (x,) = inputs("x")
    for compute in (lambda: x + other, lambda: x - other, lambda: other - x, lambda: x * other):
        with pytest.raises(TypeError):
            compute()
