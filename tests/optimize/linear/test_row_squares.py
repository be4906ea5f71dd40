"""J'WJ of sparse rows beside dense products."""

import numpy as np

from screwgraph.optimize.linear import RowSquares


def test_products_are_those_of_dense_matrices():
    rng = np.random.default_rng(3)
    count, width = 30, 12
    J = np.where(rng.random((count, width)) < 0.3, rng.standard_normal((count, width)), 0.0)
    J[4] = 0.0  # a row without entries
    weights = 10.0 ** rng.uniform(-3.0, 6.0, count)
    weights[7:9] = 0.0
    rows, columns = np.nonzero(J)
    order = rng.permutation(len(rows))
    order = order[np.argsort(rows[order], kind="stable")]  # row by row, entries of a row in any order
    rows, columns = rows[order], columns[order]
    squares = RowSquares(rows, columns, count)
    assert (squares.rows >= squares.columns).all()
    assert len(set(zip(squares.rows.tolist(), squares.columns.tolist(), strict=True))) == len(squares.rows)
    found = np.zeros((width, width))
    found[squares.rows, squares.columns] = squares.evaluate(J[rows, columns], weights)
    np.testing.assert_allclose(found, np.tril(J.T @ np.diag(weights) @ J), rtol=1e-12, atol=1e-9)

    touched, expected = np.zeros_like(found), np.abs(J[[0, 9]]).T @ np.abs(J[[0, 9]]) > 0.0
    at = squares.find_touched(np.array([0, 9]))
    touched[squares.rows[at], squares.columns[at]] = 1.0
    np.testing.assert_array_equal(touched > 0.0, np.tril(expected))
    assert squares.find_touched(np.zeros(0, dtype=int)).size == 0


def test_a_matrix_without_entries_has_no_products():
    none = np.zeros(0, dtype=int)
    squares = RowSquares(none, none, 3)
    assert squares.evaluate(np.zeros(0), np.ones(3)).size == squares.rows.size == 0
