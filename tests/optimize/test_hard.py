import numpy as np
import pytest

from screwgraph.optimize import (
    InteriorPoint,
    Problem,
    Status,
    Tolerances,
    Variables,
    Vector,
    equality,
    hinge,
    inequality,
    soft,
    solve,
)
from screwgraph.spatial import concatenate, vector

from .graphs import anchor, swing_up

HARD = ("interior_point", "augmented_lagrangian", "fatrop")


def rosenbrock(x):
    return vector([10 * (x[1] - x[0] ** 2), 1 - x[0]])


def circle(x, *, radius):
    return x[0] ** 2 + x[1] ** 2 - radius**2


def first_is(x, *, at):
    return x[0] - at


def product(x):
    return 25 - x[0] * x[1] * x[2] * x[3]


@pytest.mark.parametrize("method", HARD)
def test_a_swing_up_costs_what_ipopt_finds(method):
    problem, guess = swing_up()
    theirs = solve(problem, guess, method="ipopt")
    ours = solve(problem, guess, method=method, iterations=400)
    assert ours.success, ours
    assert ours.violation <= 1e-8
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-6)
    assert np.abs(ours.values["u"] - theirs.values["u"]).max() < 1e-3
    assert np.abs(ours.values["u"]).max() == pytest.approx(12.0, abs=1e-6)  # the limit is reached


def test_a_finer_plan_takes_as_many_iterations():
    counts = [solve(*swing_up(steps), iterations=25) for steps in (101, 801)]
    assert all(r.success for r in counts), counts
    assert counts[1].cost == pytest.approx(counts[0].cost, rel=5e-3)
    assert counts[1].iterations <= counts[0].iterations + 5


def test_a_moved_goal_is_solved_from_the_old_plan_in_a_few_iterations():
    problem, guess = swing_up()
    first = solve(problem, guess)
    moved = problem.replaced("goal", at=[0.98, np.pi])
    warm, cold = solve(moved, first), solve(moved, guess)
    assert warm.success
    assert warm.iterations <= min(6, cold.iterations)
    assert warm.cost == pytest.approx(cold.cost, rel=1e-7)


@pytest.mark.parametrize("seed", range(6))
@pytest.mark.parametrize("curvature", [True, False])
def test_random_constrained_optima_are_those_of_ipopt(seed, curvature):
    rng = np.random.default_rng(seed)
    x = Variables("x", Vector(2))
    radius = float(rng.uniform(0.5, 2.5))
    bound = inequality if seed % 2 else equality
    problem = Problem([soft(rosenbrock, x), bound(circle, x, radius=radius)])
    start = {"x": rng.uniform(0.2, 1.5, 2)}
    ours = solve(problem, start, method=InteriorPoint(curvature=curvature), iterations=300)
    theirs = solve(problem, ours, method="ipopt")
    assert ours.success, ours
    assert ours.violation <= 1e-8
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-6, abs=1e-12)


def test_problem_71_of_hock_and_schittkowski_as_least_squares():
    x = Variables("x", Vector(4))
    bounds = inequality(lambda x: concatenate(1 - x, x - 5), x, name="bounds")
    problem = Problem(
        [
            soft(lambda x: x - vector([1.0, 2.0, 5.0, 5.0]), x, name="wish"),
            equality(lambda x: x @ x - 40, x, name="sphere"),
            inequality(product, x),
            bounds,
        ]
    )
    ours = solve(problem, {"x": [1.0, 5.0, 5.0, 1.0]})
    theirs = solve(problem, ours, method="ipopt")
    assert ours.success
    assert ours.cost == pytest.approx(theirs.cost, rel=1e-6)
    assert np.abs(ours.values["x"] - theirs.values["x"]).max() < 1e-5


def test_a_matrix_that_a_result_keeps_is_that_of_its_factors_after_a_second_order_correction():
    x = Variables("x", Vector(2))  # whole steps along the circle leave it and cost more: Maratos (1978)
    problem = Problem([soft(anchor, x, at=[0.3, 0.0]), equality(circle, x, radius=1.0)])
    rough = Tolerances(violation=1e-2, dual=5e-2)
    found = solve(problem, {"x": [[np.cos(0.3), np.sin(0.3)]]}, method="interior_point", tolerances=rough)
    assert found.iterations == 2, found  # a corrected step is the last one
    factored, b = found.iterate.memory["factored"], np.array([1.0, 2.0, 3.0])
    np.testing.assert_allclose(factored.exact.times(factored.solve(b)), b, rtol=1e-9)


def test_hinges_cost_nothing_inside_and_grow_with_the_square_outside():
    x = Variables("x", Vector(1))
    problem = Problem([soft(anchor, x, at=[3.0]), hinge(lambda x: x - 1, x, sigma=0.5, threshold=0.25, name="below")])
    # (x - 3) + (x - 0.75) / 0.25 = 0
    assert solve(problem).values["x"][0, 0] == pytest.approx((3 + 0.75 / 0.25) / 5)
    assert problem.assembly.residuals(problem.start({"x": [0.5]}))["below"][0, 0] == 0.0


def test_hard_factors_that_contradict_each_other_are_named():
    x = Variables("x", Vector(2))
    problem = Problem([soft(rosenbrock, x), equality(circle, x, radius=1.0), equality(first_is, x, at=3.0)])
    for method in ("interior_point", "ipopt"):
        result = solve(problem, {"x": [0.5, 0.5]}, method=method, iterations=200)
        assert result.status is Status.INFEASIBLE
        assert result.violation > 0.1
    assert "remains violated by" in solve(problem, {"x": [0.5, 0.5]}).reason


def test_redundant_equalities_do_no_harm():
    x = Variables("x", Vector(2))
    twice = [equality(circle, x, radius=1.0), equality(circle, x, radius=1.0, name="again")]
    once, both = (solve(Problem([soft(rosenbrock, x), *twice[:k]]), {"x": [0.5, 0.5]}) for k in (1, 2))
    assert both.success
    assert both.cost == pytest.approx(once.cost, rel=1e-8)
