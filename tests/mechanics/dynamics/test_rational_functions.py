"""Quotients of polynomials beside fractions."""

from fractions import Fraction
from math import prod

import numpy as np

from screwgraph.mechanics.dynamics.rational_functions import Length, Ratio

A, B = (Ratio.from_value(Length(name, value, value)) for name, value in (("a", 2.0), ("b", 3.0)))


def exact(x: Ratio) -> Fraction:
    top, bottom = (
        sum((c * prod(Fraction(length.nominal) for length in term) for term, c in terms.items()), Fraction(0))
        for terms in (x.top, x.bottom)
    )
    return Fraction(top) / Fraction(bottom)


def test_arithmetic_is_that_of_fractions():
    rng, known = (
        np.random.default_rng(0),
        [(A, Fraction(2)), (B, Fraction(3)), (Ratio.from_value(Fraction(1, 7)), Fraction(1, 7))],
    )
    for _ in range(40):
        (x, p), (y, q) = (known[i] for i in rng.integers(len(known), size=2))
        pairs = [(x + y, p + q), (x - y, p - q), (x * y, p * q), *([(x / y, p / q)] if y and q else [])]
        known.append(pairs[int(rng.integers(len(pairs)))])
        assert exact(known[-1][0]) == known[-1][1]
        known = known[-6:] if len(known) > 8 else known


def test_common_factors_are_taken_out():
    assert str((A * A - B * B) / (A - B)) == "a + b"
    assert str(A * B / (A * A)) == "b/a"
    assert str((A - B) / (A * A - B * B)) == "1/(a + b)"
    assert not (A / B - A / B)
    assert str(A * B - B * A + 1) == "1"


def test_text():
    assert str(2 * A * A - B + Fraction(1, 4)) == "2 a^2 - b + 0.25"
    assert str(-A) == "-a"
    assert (A + B).factor() == "(a + b)"
    assert (-A * B).is_negative
