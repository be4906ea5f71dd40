"""Products with entries of a lower triangle, and sizes of residuals, against dense matrices."""

import numpy as np
import pytest

from screwgraph.optimize.linear import Pattern, analyse
from screwgraph.optimize.linear.regularise import find_typical
from screwgraph.optimize.linear.symmetric_products import SymmetricEntries


def random_entries(rng, primal, rows, count):
    """Return places, some of them twice, and values, with the dense matrix of all of them."""
    n = primal + rows
    i, j = np.sort(rng.integers(0, primal, (2, count)), axis=0)[::-1]
    i = np.concatenate([i, np.repeat(np.arange(primal, n), 3), np.arange(n)])
    j = np.concatenate([j, rng.integers(0, primal, 3 * rows), np.arange(n)])
    values = rng.normal(size=i.size)
    K = np.zeros((n, n))
    np.add.at(K, (i, j), values)
    return i, j, values, K + np.tril(K, -1).T


@pytest.mark.parametrize(("primal", "rows"), [(1, 0), (9, 0), (9, 4), (40, 17)])
def test_products_and_residuals_are_those_of_the_dense_matrix(primal, rows):
    rng = np.random.default_rng(primal + rows)
    i, j, values, K = random_entries(rng, primal, rows, 5 * primal)
    entries = SymmetricEntries.from_pattern(Pattern(np.ones(primal + rows, dtype=int), i, j, rows))
    x, b, diagonal = rng.normal(size=(3, primal + rows))
    y = entries.multiply(values, diagonal, x)
    np.testing.assert_allclose(y, (K + np.diag(diagonal)) @ x, atol=1e-13)
    parts = [np.abs(b - y)[:primal].max() / np.abs(b[:primal]).max()]
    parts += [np.abs(b - y)[primal:].max() / np.abs(b[primal:]).max()] if rows else []
    assert entries.measure_residual(values, diagonal, x, b) == pytest.approx(max(parts), rel=1e-12)


@pytest.mark.parametrize("at", [0, 8, 9, 12])
def test_a_residual_that_is_no_number_is_none(at):
    rng = np.random.default_rng(4)
    i, j, values, _ = random_entries(rng, 9, 4, 20)
    entries = SymmetricEntries.from_pattern(Pattern(np.ones(13, dtype=int), i, j, 4))
    x, b = rng.normal(size=(2, 13))
    b[at] = np.nan
    assert np.isnan(entries.measure_residual(values, np.zeros(13), x, b))


@pytest.mark.parametrize("count", [1, 2, 5, 60, 511, 2000])
def test_a_typical_size_is_the_median_of_what_is_not_zero(count):
    rng = np.random.default_rng(count)
    sizes = rng.integers(0, 5, count) * rng.uniform(size=count)
    used = sizes[:: max(1, count // 512)]
    used = np.sort(used[used > 0.0] if used.any() else sizes[sizes > 0.0])
    expected = used[used.size // 2] if used.size else 1.0
    assert find_typical(sizes, np.empty(count), count) == expected


def test_multipliers_are_judged_beside_their_rows():
    """The diagonal of a hard row with slopes (3, 4) beside H = 2 is 1e-9 25 / 2; scales have the row's squares."""
    sizes, rows, cols = np.ones(3, dtype=int), np.array([0, 1, 2, 2]), np.array([0, 1, 0, 1])
    system = analyse(Pattern(sizes, rows, cols, 1), "dense")
    values, shift = np.array([2.0, 2.0, 3.0, 4.0]), 1e-9 * 25.0 / 2.0
    shifted, scales = system.regulariser(values, np.zeros(3), True)
    np.testing.assert_allclose(shifted, [0.0, 0.0, -shift], rtol=1e-14)
    np.testing.assert_allclose(scales, [2.0 + 1e-3 * 9.0 / shift, 2.0 + 1e-3 * 16.0 / shift, shift], rtol=1e-14)
    shifted, scales = system.regulariser(values, np.zeros(3), False)
    np.testing.assert_allclose(shifted, [2e-9, 2e-9, -shift], rtol=1e-14)
    np.testing.assert_allclose(scales, [2e-9, 2e-9, shift], rtol=1e-14)


@pytest.mark.parametrize("extra", [0, 2])
def test_runs_that_begin_alike_are_multiplied_together(extra):
    """Seven rows have six columns in common, and each one some of its own; so have rows of factors of one step."""
    rng, primal, rows = np.random.default_rng(extra), 20, 7
    i, j, _, _ = random_entries(rng, primal, 0, 30)
    order = np.lexsort((j, i))
    own = [np.append(np.arange(3, 9), 10 + row + np.arange(extra)) for row in range(rows)]
    i = np.concatenate([i[order], *(np.full(len(c), primal + row) for row, c in enumerate(own))])
    j, n = np.concatenate([j[order], *own]), primal + rows
    entries = SymmetricEntries.from_pattern(Pattern(np.ones(n, dtype=int), i, j, rows))
    assert entries.runs.shared.max() == 6
    values, K = rng.normal(size=i.size), np.zeros((n, n))
    np.add.at(K, (i, j), values)
    x, diagonal = rng.normal(size=(2, n))
    expected = (K + np.tril(K, -1).T + np.diag(diagonal)) @ x
    np.testing.assert_allclose(entries.multiply(values, diagonal, x), expected, atol=1e-13)
