"""Common factors are taken out of sums, and the values stay."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import screwgraph as sg
from screwgraph.tape import SAMPLES, WIDE, Program, Scalar, Tape, factor_out, program

OPERATORS = {"+": operator.add, "-": operator.sub, "*": operator.mul}


def written(build) -> Program:
    """Return the program of an expression of a, b, c, d."""
    tape, rng = Tape(), np.random.default_rng(0)
    inputs = [tape.input(name, rng.uniform(0.5, 2.0, SAMPLES + WIDE).tolist()) for name in "abcd"]
    return program(tape, [build(*inputs)])


@pytest.mark.parametrize(
    ("build", "count"),
    [
        (lambda a, b, c, d: a * b + a * c, 2),
        (lambda a, b, c, d: a * b - c * a + d, 3),
        (lambda a, b, c, d: d - a * b - a * c, 3),
        (lambda a, b, c, d: -(a * b) - a * c, 3),
        (lambda a, b, c, d: a * b + c * d, 3),
        (lambda a, b, c, d: a * b + a * c + d * b + d * c, 3),
        (lambda a, b, c, d: a * a + a * b, 2),
    ],
)
def test_operations_left(build, count):
    before = written(build)
    after = factor_out(before)
    assert after.operations.total == count
    x = [1.5, -2.0, 0.25, 3.0]
    np.testing.assert_allclose(after.evaluate(x), before.evaluate(x), rtol=1e-14)


def test_brackets_that_recur_are_written_once():
    after = factor_out(written(lambda a, b, c, d: (a * b + a * c) * (d * b + d * c)))
    assert after.operations["+"] == 1


@settings(max_examples=80, deadline=None)
@given(st.lists(st.tuples(st.sampled_from("+-*"), st.integers(0, 20), st.integers(0, 20)), min_size=1, max_size=25))
def test_random_programs_keep_their_values_and_never_grow(steps):
    tape, rng = Tape(), np.random.default_rng(1)
    values = [tape.input(name, rng.standard_normal(SAMPLES + WIDE).tolist()) for name in "abcd"]
    for operation, i, j in steps:
        x, y = values[i % len(values)], values[j % len(values)]
        values.append(OPERATORS[operation](x, y))
    before = program(tape, values[4:])
    after = factor_out(before)
    x = rng.uniform(0.5, 2.0, 4).tolist()
    size = max(1.0, max(abs(v) for v in before.evaluate(x)))
    np.testing.assert_allclose(after.evaluate(x), before.evaluate(x), rtol=0, atol=1e-12 * size)
    assert after.operations.total <= before.operations.total
    assert all(isinstance(v, Scalar | float | int) for v in values)


def test_dynamics_gets_cheaper():
    f = sg.inverse_dynamics(sg.load("panda"))
    counts = [int(line[28:35]) for line in f.report().splitlines()]
    assert counts[-1] < counts[-2]
