"""Values to many digits, and what a tape merges by them."""

from __future__ import annotations

import math
from decimal import Decimal

import numpy as np
import pytest

from screwgraph.tape import SAMPLES, WIDE, Tape, guard, program
from screwgraph.tape.high_precision import PreciseValues


def tape_of_angles(count: int) -> tuple[Tape, list]:
    tape, rng = Tape(), np.random.default_rng(0)
    return tape, [tape.input(f"x{i}", rng.normal(size=SAMPLES + WIDE).tolist()) for i in range(count)]


@pytest.mark.parametrize("angle", [0.0, 1e-12, 0.3, -2.0, 3.5, 1e3])
def test_sines_and_cosines_have_many_digits(angle):
    nodes = [("input", 0), ("sin", 0), ("cos", 0), ("mul", 1, 1), ("mul", 2, 2), ("add", 3, 4)]
    values = PreciseValues(nodes, [angle])
    assert float(values.value_of(1)[0]) == pytest.approx(math.sin(angle), rel=1e-15, abs=1e-300)
    assert float(values.value_of(2)[0]) == pytest.approx(math.cos(angle), rel=1e-15)
    assert abs(values.value_of(5)[0] - 1) < Decimal("1e-33")


def test_identities_are_found():
    _, (a, b) = tape_of_angles(2)
    s, c = np.sin(a), np.cos(a)
    assert s * s + c * c == pytest.approx(1.0, abs=1e-15)
    assert (a + b) * (a - b) - (a * a - b * b) == 0.0
    assert (a * b) * s is a * (b * s)


@pytest.mark.parametrize("small", [1e-12, 1e-14, 1e-15, 1e-16, 1e-20])
def test_small_constants_are_not_lost_where_they_are_distrusted(small):
    """Sums that doubles cannot tell apart are two values; what is equal still is one."""
    tape, (a, b) = tape_of_angles(2)
    tape.distrust(1e-9)
    large = 2.0 * np.cos(a)
    total = large + small * b
    assert total is not large
    assert total - large != 0.0
    assert total * a is a * large + a * (small * b)


def test_a_guarded_value_stays_apart():
    """It is not merged with the value that it guards, nor are later equal values taken for it."""
    tape, (a, b) = tape_of_angles(2)
    product = a * b
    guarded = guard(product, 0.5)
    assert guarded is not product
    assert guard(b * a, 0.5) is guarded
    assert a * b is product
    code = program(tape, [1.0 / guarded], ["x0", "x1"])
    (found,) = code.evaluate([np.array([1.0, 1.0, -1.0, 0.0]), np.array([2.0, 0.1, 0.6, 1.0])])
    np.testing.assert_allclose(found, [0.5, np.nan, -1 / 0.6, np.nan])


def test_negatives_and_reciprocals_of_a_guarded_value_stay_apart():
    """Where the value is small, they are no numbers, though the value's own were there before."""
    tape, (a, b) = tape_of_angles(2)
    product = a * b
    others = -product, 1.0 / product
    wide, narrow = guard(product, 0.5), guard(product, 0.1)
    assert narrow is wide, "what is a number for the larger bound is one for the smaller"
    code = program(tape, [*others, -wide, 1.0 / wide, -1.0 / -wide], ["x0", "x1"])
    found = code.evaluate([np.array([1.0, 1.0]), np.array([2.0, 0.2])])
    np.testing.assert_allclose(
        np.array(found), [[-2.0, -0.2], [0.5, 5.0], [-2.0, np.nan], [0.5, np.nan], [0.5, np.nan]]
    )
