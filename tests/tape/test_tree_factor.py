"""Factors of sparse matrices: those of trees keep their pattern, and any positive definite matrix is solved."""

import numpy as np
import pytest

from screwgraph.tape import factor_tree
from screwgraph.tape.sparse_rows import to_sparse_rows

PARENTS = [-1, 0, 1, 0, 3, 3]


def tree_matrix(rng: np.random.Generator) -> np.ndarray:
    """Return a matrix with entries between coordinates of which one carries the other."""
    M = np.zeros((6, 6))
    for i, parent in enumerate(PARENTS):
        while parent >= 0:
            M[i, parent] = rng.normal()
            parent = PARENTS[parent]
    M = M + M.T
    return M + np.diag(np.abs(M).sum(axis=1) + 0.1)


@pytest.mark.parametrize("is_dense", [False, True])
def test_solutions(is_dense):
    rng = np.random.default_rng(3)
    half = rng.normal(size=(6, 6))
    M = half @ half.T + np.eye(6) if is_dense else tree_matrix(rng)
    factor, b = factor_tree(to_sparse_rows(np.tril(M))), rng.normal(size=6)
    np.testing.assert_allclose(M @ factor.solve(b.tolist()), b, atol=1e-12)
    y = factor.condense(dict(enumerate(b)))
    z = factor.condense({4: 1.0})
    np.testing.assert_allclose(sum(y[i] * z[i] * factor.inverse[i] for i in z), np.linalg.solve(M, b)[4], atol=1e-12)


def test_nothing_fills_in():
    M = tree_matrix(np.random.default_rng(4))
    rows = to_sparse_rows(np.tril(M, -1))
    factor = factor_tree(to_sparse_rows(np.tril(M)))
    assert [sorted(row) for row in factor.rows] == [sorted(row) for row in rows]
    assert set(factor.condense({5: 1.0})) == {5, 3, 0}


def test_a_pivot_that_is_zero_is_named():
    with pytest.raises(ZeroDivisionError, match="1"):
        factor_tree([{0: 2.0}, {0: 1.0}, {2: 1.0}])
