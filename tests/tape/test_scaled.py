"""How far rounding moves values: beside operands that are moved as far, either way."""

from itertools import product
from typing import Any, cast

import numpy as np
import pytest

from screwgraph.tape import scaled
from screwgraph.tape.operations import OPERATIONS
from tests.tape.expressions import inputs

PART = 1e-6
"""Of an operand, by which it is moved: what is of second order is less than that of the bound."""
ONE, TWO = ("inv", "neg", "sin", "cos", "sqrt", "exp", "log", "tanh"), ("add", "sub", "mul", "div", "pow", "hypot")


@pytest.mark.parametrize("operation", [o for o in (*ONE, *TWO) if o in OPERATIONS])
def test_bounds_are_how_far_moved_operands_move_the_value(operation):
    rng = np.random.default_rng(3)
    count = 1 if operation in ONE else 2
    values = rng.uniform(0.5, 2.0, size=(count, scaled.STATES))
    errors = PART * values * rng.uniform(0.5, 1.0, size=values.shape)
    value, bound = scaled._SCALED[operation](*zip(values, errors, strict=True))
    np.testing.assert_allclose(value, OPERATIONS[operation].values(*values), rtol=1e-15)
    ends = [
        OPERATIONS[operation].values(*(values + np.array(s)[:, None] * errors)) for s in product((-1, 1), repeat=count)
    ]
    moved = np.abs(ends - value).max(axis=0)
    assert (bound >= 0.999 * moved).all()
    if operation not in ("sin", "cos"):  # of these the slope counts as one
        assert (bound <= 1.001 * moved + 8.0 * scaled.UNIT * np.abs(value)).all()


def test_sizes_do_not_depend_on_the_sign():
    (x,) = cast(Any, inputs("x"))
    tape = x.tape
    for value in (x * x + 0.1, np.exp(x), 3.0 + np.sin(x), x * x * 1e-9 + 1e-12):
        samples = np.abs(tape.wide_samples(value))
        assert tape.extremes(value) == tape.extremes(-value) == (samples.min(), samples.max())
    assert tape.extremes(x)[0] == 0.0


@pytest.mark.parametrize("operation", ["add", "sub", "mul", "inv", "sqrt", "exp"])
def test_exact_operands_move_a_value_by_its_own_rounding(operation):
    sizes = np.geomspace(1e-8, 1e8, scaled.STATES) if operation != "exp" else np.linspace(-20.0, 20.0, scaled.STATES)
    given = [(x, np.zeros(len(x))) for x in (sizes, 0.3 * sizes)[: 1 if operation in ONE else 2]]
    value, bound = scaled._SCALED[operation](*given)
    assert (bound >= scaled.UNIT * np.abs(value)).all()
    assert (bound <= 4.0 * scaled.UNIT * np.abs(value)).all()
