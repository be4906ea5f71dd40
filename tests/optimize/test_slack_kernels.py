"""Slacks and multipliers in steps: as Python and as machine code, against the equations that they solve."""

import numpy as np
import pytest

from screwgraph.optimize.methods import slack_kernels
from screwgraph.optimize.methods.slack_kernels import call_on_slacks


def in_python(name, *given):
    return getattr(slack_kernels, name)(*given, len(given[0]))


@pytest.fixture(params=[in_python, call_on_slacks], ids=["Python", "machine code"])
def call(request):
    return request.param


def test_changes_solve_newtons_equations(call):
    rng = np.random.default_rng(4)
    s, z, g, moved, target = rng.uniform(0.1, 2.0, (5, 37))
    r, (ds, dz, of_s, of_z, pull) = g + s, np.empty((5, 37))
    total = call("write_changes", s, z, r, target, moved, ds, dz, of_s, of_z)
    np.testing.assert_allclose(g + moved + s + ds, 0.0, atol=1e-14)  # g + G d + s + ds = 0
    np.testing.assert_allclose(s * z + s * dz + z * ds, target, rtol=1e-13)
    np.testing.assert_allclose([of_s * s, of_z * z], [ds, dz], rtol=1e-13)
    assert total == pytest.approx(of_s.sum())
    call("write_pull", s, z, r, target, pull)
    np.testing.assert_allclose(z + dz, pull + z / s * moved, rtol=1e-13)  # as condensed equations have them


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
