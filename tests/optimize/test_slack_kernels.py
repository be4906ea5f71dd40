"""Slacks and multipliers in steps: as Python and as machine code, against the equations that they solve."""

import numpy as np
import pytest

from screwgraph.optimize.methods import slack_kernels
from screwgraph.optimize.methods.slack_kernels import call_on_slacks, sum_logarithms


def in_python(name, *given):
    return getattr(slack_kernels, name)(*given, len(given[0]))


@pytest.fixture(params=[in_python, call_on_slacks], ids=["Python", "machine code"])
def call(request):
    return request.param


def random_rows(rng, count, width):
    """Return entries of a matrix with some in each row, where rows begin, columns, and the matrix."""
    G = np.where(rng.uniform(size=(count, width)) < 0.4, rng.normal(size=(count, width)), 0.0)
    rows, columns = np.nonzero(G)
    return G[rows, columns].copy(), np.searchsorted(rows, np.arange(count + 1)), columns.copy(), G


@pytest.mark.parametrize("bend", [0.0, 0.6])
def test_changes_solve_newtons_equations(call, bend):
    rng = np.random.default_rng(4)
    s, z, g, other_s, other_z = rng.uniform(0.1, 2.0, (5, 37))
    *entries, G = random_rows(rng, 37, 11)
    d, slope, least = rng.normal(size=11), rng.normal(size=11), np.zeros(2)
    r, (ds, dz, parts), right = g + s, np.empty((3, 37)), slope.copy()
    total = call("write_changes", s, z, r, other_s, other_z, d, *entries, ds, dz, parts, least, 0.3, bend)
    np.testing.assert_allclose(g + G @ d + s + ds, 0.0, atol=1e-14)
    np.testing.assert_allclose(s * z + s * dz + z * ds + bend * other_s * other_z, 0.3, atol=1e-14)
    np.testing.assert_allclose(least, [(ds / s).min(), (dz / z).min()], rtol=1e-13)
    assert total == pytest.approx((ds / s).sum())
    call("add_pulls", s, z, r, other_s, other_z, right, *entries, parts, 0.3, bend)
    np.testing.assert_allclose(slope - right, G.T @ (z + dz - z / s * (G @ d)), atol=1e-13)  # condensed equations


def test_errors_are_those_of_rows(call):
    rng = np.random.default_rng(4)
    s, z, g = rng.uniform(0.1, 2.0, (3, 37)) * [[1.0], [1.0], [-1.0]]
    *entries, G = random_rows(rng, 37, 11)
    slope, found = rng.normal(size=11), np.zeros(3)
    expected = slope + G.T @ z
    call("measure_rows", s, z, g, slope, *entries, found)
    np.testing.assert_allclose(slope, expected, atol=1e-14)
    np.testing.assert_allclose(found, [np.abs(g + s).max(), (s * z).min(), (s * z).max()])


@pytest.mark.parametrize("count", [0, 3, 4, 37])
def test_logarithms_of_products_are_sums(count):
    s = 10.0 ** np.random.default_rng(4).uniform(-40.0, 3.0, count)
    assert sum_logarithms(s) == pytest.approx(np.log(s).sum())


def test_slacks_fit_residuals_and_multipliers_stay_near_the_barrier(call):
    rng = np.random.default_rng(4)
    s, z = 10.0 ** rng.uniform(-6.0, 2.0, (2, 41))
    g, (to, to_z) = rng.uniform(-2.0, 2.0, 41), np.empty((2, 41))
    call("bound_both", s, z, g, 0.1, 100.0, to, to_z)
    np.testing.assert_array_equal(to, np.maximum(s, -g))
    assert (to_z * to >= 0.1 / 100.0 * (1.0 - 1e-14)).all()
    assert (to_z * to <= 0.1 * 100.0 * (1.0 + 1e-14)).all()
    inside = (z * to > 0.1 / 99.0) & (z * to < 0.1 * 99.0)
    assert inside.any()
    assert (to_z == z)[inside].all()
    assert call("write_slacks", s, g, to_z) == pytest.approx(np.abs(g + np.maximum(s, -g)).sum())
    np.testing.assert_array_equal(to_z, to)


def test_slacks_and_multipliers_move_by_parts_of_their_own(call):
    rng = np.random.default_rng(4)
    s, z, ds, dz, to, to_z = rng.uniform(0.1, 2.0, (6, 13))
    call("move_both", s, z, ds, dz, 0.25, 0.5, to, to_z)
    np.testing.assert_allclose([to, to_z], [s + ds / 4, z + dz / 2], rtol=1e-15)
