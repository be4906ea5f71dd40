"""Covariances read off the Bayes tree are those of the whole problem."""

import numpy as np
import pytest

from screwgraph.base.errors import InputError
from screwgraph.optimize import Incremental, Problem, Variables, Vector, each, equality, soft, solve
from tests.optimize.graphs import pose_ring

N = 40
X, Y = Variables("x", Vector(2), N), Variables("y", Vector(3), 4)


def away(x, *, z):
    return x - z


def step(a, b, *, z):
    return b - a - z + 0.1 * a * b


def half(a, b):
    return 0.5 * (a[0] + a[1]) - b


def chain(rng):
    moves = 0.1 * rng.standard_normal((N - 1, 2))
    return [
        soft(away, X[[0, 17]], z=np.zeros(2), sigma=0.1),
        soft(step, X[:-1], X[1:], z=each(moves), sigma=0.2),
        soft(half, X[[3, 9, 20, 39]], Y, sigma=0.3),
    ]


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.sampled(3)
def test_marginals_are_those_of_the_whole_problem(seed):
    rng = np.random.default_rng(seed)
    solver = Incremental(Problem(chain(rng)))
    for _ in range(3):
        i, j = rng.choice(N, 2, replace=False)
        solver.update(add=[soft(step, X[i], X[j], z=rng.standard_normal(2), sigma=0.5)], late=[X[rng.integers(N)]])
        whole = solve(solver.problem, solver.values)
        for chosen in ((X[5],), (Y[2], X[[30, 4]]), (X[[7, 7]],), (X, Y)):
            ours, theirs = solver.covariance(*chosen), whole.covariance(*chosen)
            assert np.abs(ours - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_joint_covariances_of_cliques_are_parts_of_the_whole_one():
    solver = Incremental(Problem(chain(np.random.default_rng(0))))
    whole, dims, seen = solver.covariance(X, Y), np.array([2] * N + [3] * 4), []
    ends = np.cumsum(dims)
    for clique, joint in solver._tree.storage.joint_covariances():
        at = np.concatenate([np.arange(ends[v] - dims[v], ends[v]) for v in clique.members])
        assert np.abs(joint - whole[np.ix_(at, at)]).max() < 1e-9 * np.abs(whole).max()
        seen += clique.own.tolist()
    assert sorted(seen) == list(range(N + 4))


def test_poses_count_in_their_own_directions():
    problem, start, _ = pose_ring(8, 0.02)
    solver = Incremental(problem, start)
    poses, whole = problem.families[0], solve(problem, start)
    theirs = whole.covariance(poses[[2, 6]])
    assert np.abs(solver.covariance(poses[[2, 6]]) - theirs).max() < 1e-9 * np.abs(theirs).max()


def test_hard_factors_are_nearly_as_stiff_as_can_be():
    solver = Incremental(Problem([*chain(np.random.default_rng(0)), equality(away, X[25], z=np.ones(2), name="held")]))
    theirs = solve(solver.problem, solver.values).covariance(X[[20, 27]])
    assert np.abs(solver.covariance(X[[20, 27]]) - theirs).max() < 1e-6 * np.abs(theirs).max()


def test_only_cliques_above_are_looked_at():
    x = Variables("x", Vector(2), 4000)
    moves = soft(step, x[:-1], x[1:], z=np.zeros(2))
    solver = Incremental(Problem([soft(away, x[[0, 3999]], z=np.zeros(2)), moves]))
    stored = solver._tree.storage
    assert len(stored.above([2000])) < 2 * np.log2(4000)
    assert solver.covariance(x[2000]).shape == (2, 2)


def test_what_is_not_determined_is_refused():
    free = Incremental([X])
    with pytest.raises(InputError, match="no factor touches it"):
        free.covariance(X[3])
    with pytest.raises(InputError, match="covariance of nothing"):
        free.covariance()
    free.update(add=[soft(step, X[0], X[1], z=np.ones(2))])
    with pytest.raises(InputError, match="not solved"):
        free.covariance(X[0])
    with pytest.raises(InputError, match="expected"):
        free.covariance(3)
