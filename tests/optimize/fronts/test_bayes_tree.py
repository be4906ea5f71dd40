"""A Bayes tree solves what a dense matrix does, from factors and from entries in its fronts."""

import numpy as np
import pytest

from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.linear import SingularError


def test_a_tree_equals_a_dense_solution():
    rng, n, d = np.random.default_rng(7), 40, 3
    tree = BayesTree(np.full(n, d))
    H, g = np.zeros((n * d, n * d)), np.zeros(n * d)
    pairs = np.array([[i, i + 1] for i in range(n - 1)] + [rng.choice(n, 2, replace=False) for _ in range(12)])
    for f, pair in zip(tree.add(pairs, 2 * d, 1), pairs, strict=True):
        J, r = rng.standard_normal((2 * d, 2 * d)), rng.standard_normal(2 * d)
        where = (pair[:, None] * d + np.arange(d)).ravel()
        H[np.ix_(where, where)] += J.T @ J
        g[where] += J.T @ r
        own = np.column_stack([J.T @ J, J.T @ r]).ravel()
        tree.data[tree.where(f) : tree.where(f) + own.size] = own
    tree.eliminate(np.arange(n))
    tree.solve(0.0, np.inf)
    assert np.abs(tree.delta + np.linalg.solve(H, g)).max() < 1e-9 * np.linalg.cond(H) ** 0.5


def test_a_chain_from_its_ends_takes_as_many_operations_as_step_by_step():
    count, operations = 60, {}
    for order in ("balanced", "from_ends", "numbers"):
        tree = BayesTree(np.full(count, 4), order)
        tree.add(np.array([[i, i + 1] for i in range(count - 1)]), 0, 0)
        tree.prepare()
        operations[order] = tree.operations
    assert operations["from_ends"] < 1.05 * operations["numbers"] < 0.7 * operations["balanced"]


def count_operations(dims, pairs):
    """Return the multiplications of an elimination that takes the unknown with the fewest directions beside it."""
    beside, total = {k: set() for k in range(len(dims))}, 0.0
    for i, j in pairs:
        beside[i].add(j)
        beside[j].add(i)
    while beside:
        v = min(beside, key=lambda k: sum(dims[u] for u in beside[k]))
        own, near = dims[v], beside.pop(v)
        dim = own + sum(dims[u] for u in near)
        total += own * (dim * (dim - own) + own**2 / 3)
        for u in near:
            beside[u] = (beside[u] | near) - {u, v}
    return total


def test_from_the_ends_of_chains_unknowns_count_with_their_directions():
    found = greedy = 0.0
    for seed in range(8):
        rng, n = np.random.default_rng(seed), 60
        dims = rng.choice([1, 20], n)
        pairs = [(i, i + k) for i in range(n) for k in range(1, 5) if i + k < n and rng.uniform() < 0.7]
        tree = BayesTree(dims, "from_ends")
        tree.add(np.arange(n)[:, None], 0, 0)
        tree.add(np.array(pairs), 0, 0)
        tree.prepare()
        found, greedy = found + tree.operations, greedy + count_operations(dims.tolist(), pairs)
    assert found < 1.03 * greedy


@pytest.mark.parametrize(
    "pairs", [[(0, 1), (1, 2), (2, 3)], [(0, 3), (1, 3), (2, 3)], [(0, 1), (2, 3)], [(0, 2), (1, 3)]]
)
def test_fronts_that_take_entries_of_a_matrix_solve_it(pairs):
    dims, rng = np.array([2, 1, 3, 2]), np.random.default_rng(0)
    tree, of = BayesTree(dims, order="numbers"), np.repeat(np.arange(4), dims)
    tree.add(np.array([[0], [1], [2], [3]]), 0, 0)
    tree.add(np.array(pairs), 0, 0)
    tree.prepare()
    tied = np.array([[a == b or (a, b) in pairs or (b, a) in pairs for b in of] for a in of])
    i, j = np.nonzero(np.tril(tied))
    for _ in range(2):
        H, g = rng.standard_normal((2, 8, 8))
        H, g = np.where(tied, H + H.T + 16.0 * np.eye(8), 0.0), g[0]
        fronts = tree.clear()
        fronts[tree.storage.places(i, j)] += H[i, j]
        fronts[tree.storage.places(None, np.arange(8))] += g
        tree.factor()
        assert tree.is_eliminated
        tree.solve(-1.0, np.inf)
        assert np.allclose(tree.delta, np.linalg.solve(H, -g), rtol=1e-12)
        assert np.allclose(
            tree.storage.covariance([0, 2]), np.linalg.inv(H)[np.ix_(*[np.r_[0:2, 3:6]] * 2)], rtol=1e-12
        )
    tree.clear()
    with pytest.raises(SingularError):
        tree.factor()
    assert not tree.is_eliminated
