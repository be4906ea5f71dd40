import numpy as np
import pytest
from scipy.optimize import minimize

from screwgraph.optimize import LOSSES, Variables, Vector, each, hinge, soft
from screwgraph.optimize.manifold_code import retract_values

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
    from screwgraph.optimize import Problem

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


@pytest.mark.parametrize("name", LOSSES)
def test_weights_are_derivatives_of_losses_which_begin_as_squares(name):
    loss = LOSSES[name]
    for s in (1e-4, 0.3, 2.0, 30.0):
        h = 1e-6 * s
        slope = (loss.rho(s + h) - loss.rho(s - h)) / (2 * h)
        assert loss.weight(s) == pytest.approx(slope, rel=1e-6, abs=1e-9)
    assert loss.rho(1e-8) == pytest.approx(1e-8, rel=1e-4)


TEXTBOOK = {  # of the squared length s of a residual
    "huber": lambda s: s if s < 1.345**2 else 2.0 * 1.345 * np.sqrt(s) - 1.345**2,
    "cauchy": lambda s: 2.385**2 * np.log1p(s / 2.385**2),
    "tukey": lambda s: 4.685**2 / 3.0 * (1.0 - max(0.0, 1.0 - s / 4.685**2) ** 3),
    "geman_mcclure": lambda s: s / (1.0 + s),
}


@pytest.mark.parametrize("name", LOSSES)
def test_a_robust_mean_is_the_one_that_scipy_finds_and_no_outlier_moves_it(name):
    from screwgraph.optimize import Problem, solve

    x = Variables("x", Vector(2))
    points = np.array([[0.0, 1.0], [0.1, 1.1], [-0.1, 0.9], [0.05, 1.0], [50.0, -80.0]])
    plain = solve(Problem([soft(anchor, x, at=each(points))]))
    robust = solve(Problem([soft(anchor, x, at=each(points), loss=name)]), {"x": [[0.0, 0.9]]})
    assert np.abs(plain.values["x"] - points.mean(axis=0)).max() < 1e-10
    assert robust.success
    rho = TEXTBOOK[name]
    theirs = minimize(
        lambda x: 0.5 * sum(rho(s) for s in ((x - points) ** 2).sum(axis=1)), [0.0, 0.9], method="BFGS", tol=1e-9
    )
    assert robust.cost == pytest.approx(theirs.fun, rel=1e-9)
    assert robust.values["x"].ravel() == pytest.approx(theirs.x, abs=1e-5)
    assert np.abs(robust.values["x"] - [0.0, 1.0]).max() < (0.3 if name == "huber" else 0.03)  # Huber's pull stays k


def test_long_normal_equations_are_the_same_as_products_of_jacobians(monkeypatch):
    from screwgraph.optimize import Problem, kernels

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


def test_templates_are_listed():
    assert {f.template for f in factors()} >= {anchor, bend, relative, collocated, between}
