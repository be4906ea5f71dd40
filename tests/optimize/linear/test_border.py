"""Borders: symmetric indefinite matrices that are left of a chain, beside NumPy; singular ones are said to be."""

import numpy as np
import pytest

from screwgraph.optimize.linear.chain import factor_border


def symmetric(values, rng):
    Q = np.linalg.qr(rng.standard_normal((len(values), len(values))))[0]
    return Q @ np.diag(values) @ Q.T


@pytest.mark.parametrize("size", [1.0, 1e-6, 1e9])
def test_solutions_and_signs_whatever_the_units(size):
    rng = np.random.default_rng(0)
    S = size * symmetric([3.0, 1.0, -0.5, 2.0, -4.0], rng)
    units = np.array([1.0, 1e3, 1e-3, 1.0, 10.0])
    S, right = S * np.outer(units, units), rng.standard_normal(5)
    border = factor_border(np.tril(S), np.abs(np.diag(S)))
    assert (border.negative, border.bad) == (2, -1)
    found = border.solve(right)
    np.testing.assert_allclose(S @ found, right, atol=1e-9 * np.abs(right).max())


def test_where_nothing_was_before_the_scale_is_one():
    border = factor_border(np.array([[0.0, 0.0], [2.0, 0.0]]), np.zeros(2))
    assert (border.negative, border.bad) == (1, -1)
    np.testing.assert_allclose(border.solve(np.array([1.0, 4.0])), [2.0, 0.5])


@pytest.mark.parametrize("least", [0.0, 1e-18])
def test_a_pivot_of_which_nothing_is_left_is_said(least):
    """Exactly nothing, and what rounding leaves of it."""
    for bad in range(3):
        S = np.diag([1.0, -2.0, 3.0])
        S[bad, bad] = least
        assert factor_border(S, np.array([1.0, 2.0, 3.0])).bad == bad
    S = np.array([[1.0, 1.0], [1.0, 1.0 + least]])
    assert factor_border(S, np.ones(2)).bad >= 0
