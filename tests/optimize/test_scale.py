"""Scales of costs and units of unknowns change how problems are solved, and nothing of what results say."""

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize import Problem, Variables, Vector, equality, inequality, soft, solve
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.row_scales import STEEPEST
from screwgraph.spatial import vector

FORCE = 1e7


def made() -> Problem:
    """A mass that is held by a force u = FORCE exp(-x), which is to be small, with x at most 0.5."""
    x, u = Variables("x", Vector(1)), Variables("u", Vector(1))
    return Problem(
        [
            soft(lambda u: u, u, name="effort"),
            equality(lambda x, u: u - FORCE * np.exp(-x), x, u, name="balance"),
            inequality(lambda x: x - 0.5, x, name="limit"),
        ]
    )


@pytest.mark.parametrize("method", ["interior_point", "ipopt"])
def test_results_are_in_their_own_units(method):
    found = solve(made(), method=method, cost_scale=FORCE**2, units={"u": FORCE})
    assert found.success, found
    assert found.values["x"] == pytest.approx(np.array([[0.5]]), abs=1e-6)
    assert found.cost == pytest.approx(0.5 * (FORCE * np.exp(-0.5)) ** 2, rel=1e-6)
    assert found.costs["effort"] == pytest.approx(found.cost, rel=1e-12)


def test_warm_starts_are_of_the_same_scale():
    problem, scale = made(), {"cost_scale": FORCE**2, "units": {"u": FORCE}}
    found = solve(problem, **scale)
    assert solve(problem, found, **scale).iterations <= 1
    again = solve(problem, found, cost_scale=FORCE**2)
    assert again.success, again
    assert again.cost == pytest.approx(found.cost, rel=1e-6)


def test_rows_are_divided_by_what_is_steep_in_them_and_models_are_evaluated_once_for_that():
    x = Variables("x", Vector(2))
    steep = equality(lambda x: vector([1e4 * x[0] + x[1], 0.0, 500.0 * x[1], 0.0]), x, name="rows that are steep, or 0")
    assembly = Problem([soft(lambda x: x, x, name="least"), steep]).assembly
    at = np.array([0.5, -2.0])
    kkt = KktSystem(assembly).with_row_scales(at, {})
    assert kkt.scales is not None
    np.testing.assert_allclose(kkt.scales.equal, [STEEPEST / 1e4, 1.0, STEEPEST / 500.0, 1.0])
    for where in (at, at, at + 1.0):  # what was evaluated for the scales serves once, and where it was evaluated
        model = kkt.model(where)
        np.testing.assert_allclose(model.c, [STEEPEST * (where[0] + 1e-4 * where[1]), 0.0, STEEPEST * where[1], 0.0])
        np.testing.assert_allclose(model.A, [STEEPEST, 1e-2, STEEPEST])
        np.testing.assert_allclose(model.gradient, where)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"cost_scale": 0.0}, "the scale of costs is 0.0"),
        ({"units": {"u": np.inf}}, "the unit of 'u' is inf"),
        ({"units": {"w": 1.0}}, "there are no unknowns 'w'"),
    ],
)
def test_scales_that_make_no_sense_are_refused(options, message):
    with pytest.raises(InputError, match=message):
        solve(made(), **options)
