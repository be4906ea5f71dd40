"""Products of rows in groups, and J'WJ of them, beside dense products."""

import numpy as np
import pytest

from screwgraph.optimize.linear import RowGroups, RowPattern

WIDTH = 30


def make_pattern(rng, factors, rows, unknowns):
    """Return a pattern of factors on unknowns of their own choice; one row without entries, entries in any order."""
    filled = rng.random((rows, unknowns)) < 0.4
    filled[rows // 2] = False
    i, j = rng.permutation(np.argwhere(filled)).T
    directions = np.array([rng.permutation(WIDTH)[:unknowns] for _ in range(factors)])
    return RowPattern(rows, i, j, directions)


def make_dense(patterns, values):
    """Return J."""
    blocks, first = [], 0
    for p in patterns:
        n = len(p.directions)
        own = values[first : first + len(p.i) * n].reshape(-1, n)
        first += own.size
        block = np.zeros((p.rows, n, WIDTH))
        for e, (i, j) in enumerate(zip(p.i, p.j, strict=True)):
            block[i, np.arange(n), p.directions[:, j]] = own[e]
        blocks.append(block.reshape(-1, WIDTH))
    return np.concatenate(blocks)


@pytest.fixture(params=[(1,), (3, 8), (9, 1, 17), (50,)])
def problem(request):
    """Return groups of so many factors, their patterns and values."""
    rng = np.random.default_rng(sum(request.param))
    patterns = [make_pattern(rng, n, int(rng.integers(3, 9)), int(rng.integers(2, 12))) for n in request.param]
    values = rng.standard_normal(sum(len(p.i) * len(p.directions) for p in patterns))
    return RowGroups(patterns, WIDTH), make_dense(patterns, values), values


def test_products_are_those_of_dense_matrices(problem):
    groups, J, values = problem
    rng = np.random.default_rng(3)
    y = rng.standard_normal(groups.count)
    np.testing.assert_allclose(groups.multiply_transposed(values, y), J.T @ y, rtol=1e-12, atol=1e-12)


def test_squares_are_those_of_dense_matrices(problem):
    groups, J, values = problem
    weights = 10.0 ** np.random.default_rng(4).uniform(-3.0, 6.0, groups.count)
    assert (groups.rows >= groups.columns).all()
    assert len(set(zip(groups.rows.tolist(), groups.columns.tolist(), strict=True))) == len(groups.rows)
    found = np.zeros((WIDTH, WIDTH))
    found[groups.rows, groups.columns] = groups.evaluate_squares(values, weights)
    np.testing.assert_allclose(found, np.tril(J.T @ np.diag(weights) @ J), rtol=1e-12, atol=1e-9)


def test_entries_that_rows_have_a_share_in_are_found(problem):
    groups, J, _ = problem
    for chosen in ([0, groups.count - 1], [1], []):
        touched = np.zeros((WIDTH, WIDTH), dtype=bool)
        at = groups.find_touched(np.array(chosen, dtype=int))
        touched[groups.rows[at], groups.columns[at]] = True
        expected = np.abs(J[chosen]).T @ np.abs(J[chosen]) > 0.0
        np.testing.assert_array_equal(touched, np.tril(expected))


def test_groups_without_entries_have_no_products():
    none = np.zeros(0, dtype=int)
    groups = RowGroups([RowPattern(3, none, none, np.zeros((2, 4), dtype=int))], WIDTH)
    assert groups.count == 6
    assert groups.evaluate_squares(np.zeros(0), np.ones(6)).size == groups.rows.size == 0
    assert RowGroups([], WIDTH).multiply_transposed(np.zeros(0), np.zeros(0)).shape == (WIDTH,)
