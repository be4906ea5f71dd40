import numpy as np
import pytest

from screwgraph.optimize import Problem, Variables, Vector, equality, hinge, soft
from screwgraph.optimize.manifold_code import retract_values
from screwgraph.optimize.smoothers.unrolled_problem import ProblemExpressions

from .graphs import anchor, bend, between, collocated, pose_ring, random_graph, relative, swing_up

STEP = 1e-5


def sample(kind, rng, count):
    start = np.broadcast_to(kind.identity(), (count, *kind.shape))
    return np.array(retract_values(kind, start, rng.normal(size=(count, kind.dim))))


def factors():
    """All templates of these tests, each bound to unknowns."""
    problem, _ = random_graph(0, loss="cauchy")
    ring, _, _ = pose_ring(3, 0.1)
    swing, _ = swing_up(3)
    x = Variables("x", Vector(2), 4)
    return [*problem.factors, *ring.factors, *swing.factors, hinge(between, x, lower=-0.1, upper=0.2, threshold=0.1)]


@pytest.mark.parametrize("f", factors(), ids=lambda f: f.name)
def test_jacobians_and_curvatures_are_those_of_central_differences(f):

    problem, rng = Problem([f]), np.random.default_rng(2)
    values = {v.name: sample(v.manifold, rng, v.count) for v in problem.families}
    x, layout = problem.start(values), problem.layout
    batch, kernels = problem.assembly.batches[0], f.kernels
    r, entries = kernels.jacobian(*batch.inputs(layout.views(x)))
    n, count = kernels.size, len(f)
    assert np.allclose(r, kernels.residual(*batch.inputs(layout.views(x))), rtol=1e-14, atol=1e-15)
    J = np.zeros((count, kernels.rows, n))
    J[:, kernels.places[0], kernels.places[1]] = entries
    directions = batch.directions(layout)
    y = rng.normal(size=(count, kernels.rows))
    exact, products = kernels.adjoint(*batch.inputs(layout.views(x)), y)
    np.testing.assert_allclose(exact, np.broadcast_to(r, exact.shape), rtol=1e-13, atol=1e-14)
    np.testing.assert_allclose(products, np.einsum("nmj,nm->nj", J, y), rtol=1e-11, atol=1e-11 * np.abs(J).max())
    H = np.zeros((count, n, n))
    if len(kernels.bends[0]):
        bent = kernels.curvature(*batch.inputs(layout.views(x)), y)
        H[:, kernels.bends[0], kernels.bends[1]] = bent
        H[:, kernels.bends[1], kernels.bends[0]] = bent

    def at(d):
        return kernels.residual(*batch.inputs(layout.views(layout.retract(x, d))))

    k = int(rng.integers(count))
    for a in range(n):
        unit = np.zeros(layout.size)
        unit[directions[k, a]] = STEP
        assert np.allclose((at(unit) - at(-unit))[k] / (2 * STEP), J[k, :, a], rtol=1e-7, atol=1e-8)
        twice = (at(unit) - 2 * at(0 * unit) + at(-unit))[k] @ y[k] / STEP**2
        assert twice == pytest.approx(H[k, a, a], rel=1e-3, abs=1e-3)


def test_long_normal_equations_are_the_same_as_products_of_jacobians(monkeypatch):
    from screwgraph.optimize import kernels

    problem, start = random_graph(4, loss="huber")
    x = problem.start(start)
    cost, gradient, entries = problem.assembly.linearise(x)
    dense = np.zeros((problem.layout.size,) * 2)
    np.add.at(dense, (problem.assembly.rows, problem.assembly.columns), entries)
    monkeypatch.setattr(kernels, "UNROLLED", -1)
    kernels.kernels.cache_clear()
    other = Problem(problem.factors)
    cost2, gradient2, entries2 = other.assembly.linearise(x)
    kernels.kernels.cache_clear()
    dense2 = np.zeros_like(dense)
    np.add.at(dense2, (other.assembly.rows, other.assembly.columns), entries2)
    assert cost2 == pytest.approx(cost, rel=1e-13)
    assert np.allclose(gradient, gradient2, rtol=1e-12, atol=1e-12)
    assert np.allclose(dense, dense2, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("loss", [None, "cauchy"])
def test_slopes_of_costs_are_those_of_central_differences(loss):
    from screwgraph.optimize.factors import cost as own_cost

    rng, x = np.random.default_rng(3), Variables("x", Vector(2), 4)
    own = own_cost(lambda a: a[0] ** 2 * a[1] - a[1], x)
    problems = [random_graph(5, loss=loss)[0], pose_ring(3, 0.1)[0], Problem([own])]
    for problem in problems:
        at = problem.start({v.name: sample(v.manifold, rng, v.count) for v in problem.families})
        assembly, layout = problem.assembly, problem.layout
        cost, gradient = assembly.bind_slopes(layout.views(at))()
        assert cost == pytest.approx(assembly.cost(at), rel=1e-13)
        for k in rng.choice(layout.size, 6, replace=False):
            unit = STEP * np.eye(layout.size)[k]
            rise = assembly.cost(layout.retract(at, unit)) - assembly.cost(layout.retract(at, -unit))
            assert gradient[k] == pytest.approx(rise / (2.0 * STEP), rel=1e-5, abs=1e-6 * max(1.0, cost))


def test_templates_are_listed():
    assert {f.template for f in factors()} >= {anchor, bend, relative, collocated, between}


def clash(x, *, x0, y, d):
    return np.stack([y * x[0] ** 3 - x0, d * x[1]])


def test_parameters_may_be_called_as_unknowns_and_multipliers_are():
    f = equality(clash, Variables("x", Vector(2)), x0=2.0, y=3.0, d=0.5)
    batch, x, multipliers = Problem([f]).assembly.batches[0], np.array([[5.0, 4.0]]), np.array([[7.0, 11.0]])
    given = (x, *batch.parameters)
    np.testing.assert_allclose(f.kernels.residual(*given), [[3.0 * 125.0 - 2.0, 2.0]])
    np.testing.assert_allclose(f.kernels.adjoint(*given, multipliers)[1], [[7.0 * 9.0 * 25.0, 11.0 * 0.5]])
    np.testing.assert_allclose(f.kernels.curvature(*given, multipliers), [[7.0 * 18.0 * 5.0]])


def test_families_may_be_called_alike():
    """The eleventh of `x` and the first of `x1` are two unknowns of a window."""
    x, x1 = Variables("x", Vector(1), 11), Variables("x1", Vector(1))
    problem = Problem([soft(lambda a: a - 1.0, x, name="one"), soft(lambda a: a - 2.0, x1, name="other")])
    assert len({str(n) for entries in ProblemExpressions(problem.layout, ()).unknowns.values() for n in entries}) == 12
