"""J^T J and J^T r of many Jacobians are NumPy's."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.optimize.linear import make_gram


@pytest.mark.parametrize(("m", "c"), [(1, 1), (3, 5), (6, 8), (12, 24), (2, 19), (7, 41)])
@pytest.mark.parametrize("count", [1, 5])
def test_entries_and_gradients_are_those_of_numpy(m: int, c: int, count: int) -> None:
    rng = np.random.default_rng(m)
    J, r = rng.standard_normal((count, m, c)), rng.standard_normal((count, m))
    rows, cols = np.tril_indices(c)
    kept = rng.random(rows.size) < 0.7
    rows, cols = rows[kept], cols[kept]
    entries, gradient = np.full((count, rows.size), np.nan), np.full((count, c), np.nan)
    make_gram(m, c, rows, cols)(J, r, entries, gradient)
    products = np.swapaxes(J, 1, 2) @ J
    np.testing.assert_allclose(entries, products[:, rows, cols], atol=1e-13 * max(m, 10))
    np.testing.assert_allclose(gradient, np.einsum("kmc,km->kc", J, r), atol=1e-13 * max(m, 10))
