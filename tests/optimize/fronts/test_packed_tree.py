"""Cliques whose numbers change solve what NumPy solves, compiled and as Python."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of, as_python, compile_kernels
from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.fronts.packed_cliques import PACKED, PackedTables, factor_cliques, solve_packed
from screwgraph.optimize.fronts.packed_tree import PackedTree, SparseRows

DIMS = np.array([14, 9, 0, 17, 22, 11, 25])
JOINED = [(0, 1), (1, 3), (3, 4), (0, 5), (4, 5), (5, 6)]


def _tree() -> tuple[PackedTree, np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return a tree, places of entries, and J, one of whose rows is empty, and whose last ones have few entries."""
    of = np.repeat(np.arange(len(DIMS)), DIMS)
    tree = BayesTree(DIMS)
    tree.add(np.flatnonzero(DIMS)[:, None], 0, 0)
    tree.add(np.array(JOINED), 0, 0)
    tree.prepare()
    tied = np.array([[a == b or (a, b) in JOINED or (b, a) in JOINED for b in of] for a in of])
    i, j = np.nonzero(np.tril(tied))
    J = np.zeros((8, len(of)))
    for row, blocks in zip(J[:4], ((0, 1), (), (4, 5), (6,)), strict=True):
        row[np.isin(of, blocks)] = 1.0
    for row, columns in zip(J[4:], ((0, 13, 18), (75, 97), (41, 50, 63, 72), (80,)), strict=True):
        row[list(columns)] = 1.0
    rows = SparseRows(np.nonzero(J)[1], np.concatenate([[0], np.cumsum((J != 0).sum(1))]))
    return PackedTree(tree, np.arange(len(i)), i, j, rows, np.arange(len(of))), i, j, J, tied


def _make_factors(tree: PackedTree) -> tuple[np.ndarray, ...]:
    """Return memory for columns of L, what is left of cliques for those above, and the diagonal of L."""
    return tuple(map(np.empty, tree.sizes))


def _factor(tree: PackedTree, given: tuple[np.ndarray, ...], factors: tuple[np.ndarray, ...], changed=None) -> int:
    """Write factors of H of these values with a diagonal, and of rows with weights, by machine code."""
    dirty = np.ones(tree.count, dtype=np.int64) if changed is None else changed
    known = (*tree.tables.addresses, tree.count, *map(address_of, (*given, dirty, *factors)))
    return compile_kernels(PACKED).functions["factor_cliques"](*known, 0.0)


@pytest.mark.parametrize("is_compiled", [True, False])
def test_cliques_solve_what_numpy_solves(is_compiled: bool) -> None:
    made, i, j, J, tied = _tree()
    n, rng = len(tied), np.random.default_rng(0)
    factors = _make_factors(made)
    for _ in range(2):
        H = np.where(tied, rng.standard_normal((n, n)), 0.0)
        H = H + H.T + 60.0 * np.eye(n)
        J = np.where(J != 0.0, rng.standard_normal(J.shape), 0.0)
        slopes, weights, extra = J[J != 0.0], rng.uniform(1.0, 9.0, len(J)), rng.uniform(0.0, 2.0, n)
        K = H + np.diag(extra) + J.T @ np.diag(weights) @ J
        b = rng.standard_normal(n)
        x = b.copy()
        if is_compiled:
            assert _factor(made, (H[i, j], extra, slopes, weights), factors) == -1
            given = made.tables.addresses, made.count, address_of(factors[0]), address_of(x)
            compile_kernels(PACKED).functions["solve_packed"](*given[0], *given[1:])
        else:
            tables = made.tables
            python = PackedTables(
                **{k: as_python(a) if (a := getattr(tables, k)).dtype.names else a for k in PackedTables.fields}
            )
            count = len(tables.cliques)
            given = H[i, j], extra, slopes, weights, np.ones(count)
            assert factor_cliques(python, count, *given, *factors, 0.0) == -1
            solve_packed(python, count, factors[0], x)
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
    factors, none = _make_factors(made), np.zeros(np.count_nonzero(J))
    assert _factor(made, (H, np.zeros(n), none, np.ones(len(J))), factors) == direction
    assert factors[2][direction] == -3.0


def test_cliques_that_do_not_change_are_not_factored_again() -> None:
    made, i, j, J, tied = _tree()
    n, rng = len(tied), np.random.default_rng(1)
    H = np.where(tied, rng.standard_normal((n, n)), 0.0)
    H = H + H.T + 60.0 * np.eye(n)
    given = np.zeros(n), J[J != 0.0], np.ones(len(J))
    whole, partly = _make_factors(made), _make_factors(made)
    _factor(made, (H[i, j], *given), partly)
    for place in range(n):
        H[place, place] += 1.0
        changed = made.find_changed(np.flatnonzero((i == place) & (j == place)), np.zeros(0, dtype=int))
        before = partly[0].copy()
        _factor(made, (H[i, j], *given), partly, changed)
        _factor(made, (H[i, j], *given), whole)
        np.testing.assert_array_equal(partly[0], whole[0])
        assert np.array_equal(before, partly[0]) == (not changed.any())
    assert not changed.all()
