"""Barrier parameters that steps choose: where they may, and what happens after they chose in vain."""

import numpy as np
import pytest

from screwgraph.optimize import Problem, Status, Variables, Vector, cost, inequality, solve
from screwgraph.optimize.methods import InteriorPoint
from screwgraph.optimize.methods.barrier_rule import REMEMBERED, BarrierRule
from screwgraph.optimize.methods.kkt_errors import KktErrors
from screwgraph.optimize.methods.primal_dual_point import PrimalDualPoint

SMALLEST = 1e-9


def at(barrier, products):
    z = np.asarray(products, dtype=float)
    return PrimalDualPoint(np.zeros(1), np.ones_like(z), np.zeros(0), z, barrier)


def errors(size):
    return KktErrors(size, 0.0, (0.1, 0.1), 1.0, 0.0)


def test_far_from_a_solution_the_parameter_stays():
    rule, point = BarrierRule().after_iteration(errors(50.0), at(0.1, [0.1, 0.1]), SMALLEST)
    assert not rule.chooses
    assert point.barrier == 0.1


def test_where_the_problem_of_one_parameter_is_solved_steps_choose():
    rule, point = BarrierRule().after_iteration(errors(0.5), at(0.1, [0.1, 0.1]), SMALLEST)
    assert rule.chooses
    assert point.barrier == 0.1


def test_steps_that_choose_in_vain_go_back_to_the_mean_product_and_twice_is_enough():
    rule, point = BarrierRule(), at(0.1, [0.1, 0.3])
    for failures in (1, 2):
        for _ in range(REMEMBERED + 1):
            rule, point = rule.after_iteration(errors(0.5), point, SMALLEST)
        assert (rule.chooses, rule.failures) == (False, failures)
        assert point.barrier == pytest.approx(0.8 * 0.2)
    rule, point = rule.after_iteration(errors(0.5), point, SMALLEST)
    assert not rule.chooses
    assert point.barrier < 0.8 * 0.2


def least_distance(x, *, at):
    return ((x - at) ** 2).sum()


def within_unit(x):
    return np.concatenate([x - 1.0, -1.0 - x])


def test_a_projection_onto_a_box_is_found_to_the_products_of_the_last_parameter():
    """Half of the bounds are active; costs exceed the least by products of slacks and multipliers alone."""
    n = 40
    wanted = np.linspace(-2.0, 2.0, n)
    x = Variables("x", Vector(n))
    problem = Problem([cost(least_distance, x, at=wanted), inequality(within_unit, x)])
    found = solve(problem, method=InteriorPoint())
    assert found.status is Status.CONVERGED
    assert found.iterations <= 14
    least = ((np.clip(wanted, -1.0, 1.0) - wanted) ** 2).sum()
    assert found.cost == pytest.approx(least, abs=1e-5)
    np.testing.assert_allclose(found.values["x"].ravel(), np.clip(wanted, -1.0, 1.0), atol=1e-5)
