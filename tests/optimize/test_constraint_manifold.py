"""Optimisation on the constraint manifold: iterates satisfy equalities, costs fall, optima have closed forms."""

import numpy as np
import pytest

from screwgraph.optimize import (
    Problem,
    Status,
    Variables,
    Vector,
    cost,
    each,
    equality,
    inequality,
    soft,
    solve,
)
from screwgraph.spatial import vector

from .graphs import anchor


def on_ellipsoid(x, *, axes):
    return vector([(x / axes) @ (x / axes) - 1.0])


def quotient(x, *, A):
    return 0.5 * x @ (A @ x)


def joined(x, y, *, length):
    return vector([(x - y) @ (x - y) - length * length])


def height(x, *, weight):
    return weight * x[1]


def exceeds(x, *, upper):
    return x - upper


def watched(problem, start):
    """Solve on the manifold; return the result, and violations and costs of all iterates."""
    seen = []
    found = solve(
        problem, start, method="constraint_manifold", callback=lambda p: seen.append((p.violation, p.cost)) or False
    )
    assert found.success, found
    violations, costs = np.array(seen).T
    assert violations.max() <= 1e-10
    return found, costs


def test_the_nearest_point_of_a_sphere_is_in_its_direction():
    x, wish = Variables("x", Vector(3), 1), np.array([1.0, -2.0, 0.5])
    problem = Problem([soft(anchor, x, at=wish), equality(on_ellipsoid, x, axes=np.ones(3))])
    found, costs = watched(problem, {"x": [[0.0, 0.6, 0.9]]})
    np.testing.assert_allclose(found.values["x"][0], wish / np.linalg.norm(wish), atol=1e-8)
    assert (np.diff(costs) <= 1e-14).all(), "the cost falls along the manifold"


def test_the_least_quotient_is_the_least_eigenvalue():
    rng = np.random.default_rng(0)
    R = np.linalg.qr(rng.standard_normal((4, 4)))[0]
    A = R @ np.diag([1.0, 2.0, 5.0, 9.0]) @ R.T
    x = Variables("x", Vector(4), 1)
    problem = Problem([cost(quotient, x, A=A), equality(on_ellipsoid, x, axes=np.ones(4))])
    found, costs = watched(problem, {"x": [R @ [0.2, 0.5, 0.6, 0.6]]})
    assert costs[-1] == pytest.approx(0.5, rel=1e-9)
    assert abs(found.values["x"][0] @ R[:, 0]) == pytest.approx(1.0, abs=1e-7)


@pytest.mark.parametrize("method", ["constraint_manifold", "interior_point"])
def test_a_chain_hangs_as_low_as_it_can(method):
    """Five rods between two hooks; by symmetry and virtual work, slopes of neighbours are in the ratio of loads."""
    n = 6
    x = Variables("x", Vector(2), n)
    hooks = np.array([[0.0, 0.0], [3.0, 0.0]])
    problem = Problem(
        [
            cost(height, x[1:-1], weight=1.0),
            equality(anchor, x[[0, n - 1]], at=each(hooks)),
            equality(joined, x[:-1], x[1:], length=1.0),
        ]
    )
    start = {"x": np.stack([np.linspace(0.0, 3.0, n), [0.0, -0.6, -1.1, -1.0, -0.7, 0.0]], axis=1)}
    found = solve(problem, start, method=method)
    assert found.success, found
    rods = np.diff(found.values["x"], axis=0)
    slopes = rods[:, 1] / rods[:, 0]
    np.testing.assert_allclose(np.diff(slopes), np.full(4, np.diff(slopes)[0]), rtol=1e-5)
    np.testing.assert_allclose(np.linalg.norm(rods, axis=1), 1.0, atol=1e-7)


def test_a_search_that_is_stopped_leaves_values_on_the_manifold():
    x, wish = Variables("x", Vector(3), 1), np.array([4.0, -2.0, 1.0])
    problem = Problem([soft(anchor, x, at=wish), equality(on_ellipsoid, x, axes=np.array([1.0, 3.0, 0.3]))])
    start = {"x": [[-0.9, 0.1, 0.2]]}
    few = solve(problem, start, method="constraint_manifold", iterations=2)
    assert few.status is Status.ITERATION_LIMIT
    assert few.violation <= 1e-10
    assert few.cost < solve(problem, start, method="constraint_manifold", iterations=0).cost


def test_inequalities_hold_at_every_iterate():
    x, wish = Variables("x", Vector(3), 1), np.array([3.0, 0.5, 0.2])
    upper = np.array([0.5, 0.6, 5.0])
    problem = Problem(
        [soft(anchor, x, at=wish), equality(on_ellipsoid, x, axes=np.ones(3)), inequality(exceeds, x, upper=upper)]
    )
    found, _ = watched(problem, {"x": [[-0.5, -0.5, 0.5]]})
    best = solve(problem, {"x": [[0.4, 0.4, 0.8]]}, method="interior_point")
    np.testing.assert_allclose(found.values["x"], best.values["x"], atol=1e-6)
    assert found.values["x"][0, 0] == pytest.approx(0.5, abs=1e-6)


def test_what_contradicts_itself_is_infeasible():
    x = Variables("x", Vector(3), 1)
    problem = Problem([equality(on_ellipsoid, x, axes=np.ones(3)), inequality(exceeds, x, upper=np.full(3, -2.0))])
    found = solve(problem, {"x": [[0.0, 0.6, 0.9]]}, method="constraint_manifold")
    assert found.status is Status.INFEASIBLE
