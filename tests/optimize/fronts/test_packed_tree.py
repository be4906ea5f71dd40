"""Cliques whose numbers change solve what NumPy solves, compiled and as Python."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.compiler.kernels import as_python
from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.fronts.packed_cliques import PackedTables, factor_cliques, solve_packed
from screwgraph.optimize.fronts.packed_tree import PackedTree, SparseRows

DIMS = np.array([14, 9, 0, 17, 22, 11, 25])
JOINED = [(0, 1), (1, 3), (3, 4), (0, 5), (4, 5), (5, 6)]


def _tree() -> tuple[PackedTree, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a tree, places of entries, and J, one of whose rows is empty."""
    of = np.repeat(np.arange(len(DIMS)), DIMS)
    tree = BayesTree(DIMS)
    tree.add(np.flatnonzero(DIMS)[:, None], 0, 0)
    tree.add(np.array(JOINED), 0, 0)
    tree.prepare()
    tied = np.array([[a == b or (a, b) in JOINED or (b, a) in JOINED for b in of] for a in of])
    i, j = np.nonzero(np.tril(tied))
    J = np.zeros((4, len(of)))
    for row, blocks in zip(J, ((0, 1), (), (4, 5), (6,)), strict=True):
        row[np.isin(of, blocks)] = 1.0
    rows = SparseRows(np.nonzero(J)[1], np.concatenate([[0], np.cumsum((J != 0).sum(1))]))
    return PackedTree(tree, np.arange(len(i)), i, j, rows, np.arange(len(of))), i, j, J, tied


@pytest.mark.parametrize("is_compiled", [True, False])
def test_cliques_solve_what_numpy_solves(is_compiled: bool) -> None:
    made, i, j, J, tied = _tree()
    n, rng = len(tied), np.random.default_rng(0)
    factors = made.make_factors()
    for _ in range(2):
        H = np.where(tied, rng.standard_normal((n, n)), 0.0)
        H = H + H.T + 60.0 * np.eye(n)
        J = np.where(J != 0.0, rng.standard_normal(J.shape), 0.0)
        slopes, weights, extra = J[J != 0.0], rng.uniform(1.0, 9.0, len(J)), rng.uniform(0.0, 2.0, n)
        K = H + np.diag(extra) + J.T @ np.diag(weights) @ J
        b = rng.standard_normal(n)
        x = b.copy()
        if is_compiled:
            assert made.factor(H[i, j], extra, slopes, weights, factors, 0.0) == -1
            made.solve(factors, x)
        else:
            tables = made.tables
            python = PackedTables(
                **{k: as_python(a) if (a := getattr(tables, k)).dtype.names else a for k in PackedTables.fields}
            )
            count = len(tables.cliques)
            given, taken = (H[i, j], extra, slopes, weights), (factors.columns, factors.rests, factors.pivots)
            assert factor_cliques(python, count, *given, np.ones(count), *taken, 0.0) == -1
            solve_packed(python, count, factors.columns, x)
        np.testing.assert_allclose(x, np.linalg.solve(K, b), rtol=1e-12, atol=1e-13)


def test_products_of_rows_are_those_of_pairs_of_entries() -> None:
    made, _, _, J, _ = _tree()
    assert made.products == sum(n * (n + 1) // 2 for n in np.count_nonzero(J, axis=1).tolist())


@pytest.mark.parametrize("direction", [4, 5, 6, 7])
def test_the_direction_that_fails_is_told(direction: int) -> None:
    made, i, j, J, tied = _tree()
    H = np.where(i == j, 1.0, 0.0)
    H[(i == direction) & (j == direction)] = -3.0
    n = len(tied)
    factors, none = made.make_factors(), np.zeros(np.count_nonzero(J))
    assert made.factor(H, np.zeros(n), none, np.ones(len(J)), factors, 0.0) == direction
    assert factors.pivots[direction] == -3.0


def test_cliques_that_do_not_change_are_not_factored_again() -> None:
    made, i, j, J, tied = _tree()
    n, rng = len(tied), np.random.default_rng(1)
    H = np.where(tied, rng.standard_normal((n, n)), 0.0)
    H = H + H.T + 60.0 * np.eye(n)
    given = np.zeros(n), J[J != 0.0], np.ones(len(J))
    whole, partly = made.make_factors(), made.make_factors()
    made.factor(H[i, j], *given, partly, 0.0)
    for place in range(n):
        H[place, place] += 1.0
        changed = made.find_changed(np.flatnonzero((i == place) & (j == place)), np.zeros(0, dtype=int))
        before = partly.columns.copy()
        made.factor(H[i, j], *given, partly, 0.0, changed)
        made.factor(H[i, j], *given, whole, 0.0)
        np.testing.assert_array_equal(partly.columns, whole.columns)
        assert np.array_equal(before, partly.columns) == (not changed.any())
    assert not changed.all()
