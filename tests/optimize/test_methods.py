import numpy as np
import pytest
from scipy.optimize import least_squares

from screwgraph.optimize import METHODS, Status, solve
from screwgraph.optimize.methods import UNCONSTRAINED

from .graphs import random_graph


def whitened(problem, x):
    """All whitened residuals, by the templates' residuals and plain NumPy."""
    found = []
    for name, r in problem.assembly.residuals(x).items():
        f = problem[name]
        values = {**f.each, **f.shared}
        if "1/sigma" in values:
            r = r * values["1/sigma"]
        elif "sqrt(information)" in values:
            r = r @ values["sqrt(information)"].T
        found.append(r.ravel())
    return np.concatenate(found)


@pytest.mark.sampled(4)
@pytest.mark.parametrize("seed", range(50))
def test_levenberg_marquardt_ends_where_scipy_does(seed):
    problem, start = random_graph(seed)
    ours = solve(problem, start)
    theirs = least_squares(lambda x: whitened(problem, x), problem.start(start), method="lm", xtol=1e-15, ftol=1e-15)
    assert ours.success, ours
    again = least_squares(lambda x: whitened(problem, x), ours.iterate.x, method="lm", xtol=1e-15, ftol=1e-15)
    assert ours.cost == pytest.approx(again.cost, rel=1e-10)
    assert ours.cost <= theirs.cost * (1 + 1e-9) or np.abs(ours.iterate.x - theirs.x).max() > 1e-3


@pytest.mark.parametrize("method", sorted(METHODS))
def test_every_method_finds_the_same_optimum(method):
    problem, start = random_graph(3)
    best = solve(problem, start)
    if method == "fatrop":  # a tree is no chain of stages
        assert solve(problem, start, method=method).status is Status.FAILED
        return
    result = solve(problem, best.values if method == "gauss_newton" else start, method=method)
    assert result.success, result
    assert result.cost == pytest.approx(best.cost, rel=1e-9)


@pytest.mark.parametrize("method", ["levenberg_marquardt", "dogleg"])
def test_guarded_methods_never_raise_the_cost(method):
    problem, start = random_graph(7)
    far = {**start, "x": 10.0 * start["x"]}
    costs = []
    result = solve(problem, far, method=method, callback=lambda p: costs.append(p.cost))
    assert result.success
    assert (np.diff(costs) <= 0.0).all()
    assert len(costs) == result.iterations + 1


def test_methods_for_soft_factors_are_known():
    assert set(UNCONSTRAINED) == {"gauss_newton", "levenberg_marquardt", "dogleg"}


def test_single_factors_and_batches_are_the_same_problem():
    from screwgraph.optimize import Problem, Variables, Vector, each, soft

    from .graphs import anchor, bend

    rng = np.random.default_rng(0)
    x, targets, gains = Variables("x", Vector(3), 6), rng.normal(size=(6, 3)), rng.uniform(0, 0.3, 5)
    m = rng.normal(size=3)
    batched = Problem([soft(anchor, x, at=each(targets)), soft(bend, x[:-1], x[1:], k=each(gains), m=m)])
    singles = [soft(anchor, x[i], at=targets[i]) for i in range(6)]
    singles += [soft(bend, x[i], x[i + 1], k=gains[i], m=m) for i in range(5)]
    one = Problem(singles)
    assert len(one.assembly.batches) == 2
    a, b = solve(batched), solve(one)
    assert np.allclose(a.values["x"], b.values["x"], rtol=0, atol=1e-9)
    assert np.allclose(b.residuals["bend 3"], a.residuals["bend"][2:3])


def test_other_parameters_keep_the_code_and_a_warm_start_needs_fewer_iterations():
    problem, start = random_graph(5)
    first = solve(problem, start)
    at = problem["anchor"].each["at"]
    from screwgraph.optimize import each

    moved = problem.replaced("anchor", at=each(at + 1e-3))
    assert moved.assembly.normal is problem.assembly.normal
    cold, warm = solve(moved, start), solve(moved, first)
    assert warm.iterations < cold.iterations
    assert warm.cost == pytest.approx(cold.cost, rel=1e-9)
