import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize import Problem, Variables, Vector, each, equality, soft, solve

from .graphs import anchor, random_graph


def information(problem, x):
    n = problem.layout.size
    lower = np.zeros((n, n))
    _, _, entries = problem.assembly.linearise(x)
    np.add.at(lower, (problem.assembly.rows, problem.assembly.columns), entries)
    return lower + np.tril(lower, -1).T


def test_covariances_are_blocks_of_the_inverse():
    problem, start = random_graph(11)
    result = solve(problem, start)
    inverse = np.linalg.inv(information(problem, result.iterate.x))
    x, gain = problem.families
    assert np.allclose(result.covariance(x[2]), inverse[6:9, 6:9], rtol=1e-9, atol=1e-14)
    picked = [3, 4, 5, *range(problem.layout.size - 1, problem.layout.size)]
    assert np.allclose(result.covariance(x[1], gain), inverse[np.ix_(picked, picked)], rtol=1e-9, atol=1e-14)


def test_hard_equalities_take_variance_away():
    x, rng = Variables("x", Vector(3), 2), np.random.default_rng(0)
    problem = Problem(
        [
            soft(anchor, x, at=each(rng.normal(size=(2, 3))), sigma=2.0),
            equality(lambda a, b: a - b, x[0], x[1], name="same"),
        ]
    )
    result = solve(problem)
    assert np.allclose(result.covariance(x), 2.0 * np.tile(np.eye(3), (2, 2)), rtol=0, atol=1e-7)
    assert np.allclose(result.values["x"][0], result.values["x"][1], rtol=0, atol=1e-9)


def test_what_is_not_determined_is_named():
    x = Variables("x", Vector(2), 3)
    problem = Problem([soft(lambda a, b: b - a, x[:-1], x[1:], name="tied")])
    with pytest.raises(InputError, match=r"do not determine x\[\d\], direction"):
        solve(problem).covariance(x[0])
    with pytest.raises(InputError, match="covariance of nothing"):
        solve(problem).covariance()


def test_joint_covariances_of_families_are_blocks_of_the_inverse():
    """Along a chain by selected inversion, and of families that are not side by side."""
    x, v, rng = Variables("x", Vector(2), 40), Variables("v", Vector(1), 40), np.random.default_rng(0)
    factors = [
        soft(anchor, x, at=each(rng.normal(size=(40, 2))), sigma=2.0),
        soft(lambda a, b, s: b - a - s[0], x[:-1], x[1:], v[:-1], sigma=0.1, name="step"),
        soft(lambda a, b: b - a, v[:-1], v[1:], sigma=0.3, name="steady"),
    ]
    result = solve(Problem(factors))
    inverse = np.linalg.inv(information(result.problem, result.iterate.x))
    places = {w.name: result.problem.layout.directions[w.name].start for w in (x, v)}
    for k, part in enumerate(result.covariances(v, x)):
        own = [places["v"] + k, places["x"] + 2 * k, places["x"] + 2 * k + 1]
        assert np.allclose(part, inverse[np.ix_(own, own)], rtol=1e-8, atol=1e-12)
    with pytest.raises(InputError, match="equal counts"):
        result.covariances(x, Variables("other", Vector(1), 3))


def test_neighbours_of_a_chain_of_scalars_have_the_covariance_of_both():
    x, rng = Variables("x", Vector(1), 12), np.random.default_rng(0)
    factors = [
        soft(anchor, x, at=each(rng.normal(size=(12, 1))), sigma=2.0),
        soft(lambda a, b: b - a, x[:-1], x[1:], sigma=0.5, name="step"),
    ]
    result = solve(Problem(factors))
    inverse = np.linalg.inv(information(result.problem, result.iterate.x))
    for i in range(11):
        np.testing.assert_allclose(result.covariance(x[i], x[i + 1]), inverse[i : i + 2, i : i + 2], rtol=1e-9)
