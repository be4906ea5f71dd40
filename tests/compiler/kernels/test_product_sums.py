"""Sums of products are those of NumPy for any number of columns, and nothing else is written."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest

from screwgraph.compiler.kernels import address_of, compile_kernels
from screwgraph.optimize.linear.row_groups import sum_products, sum_triples

CODE = compile_kernels([sum_products, sum_triples]).functions


@pytest.mark.parametrize(("kernel", "factors"), [(sum_products, 2), (sum_triples, 3)])
@pytest.mark.parametrize("n", [1, 3, 4, 7, 8, 9, 16, 17, 50])
def test_sums_are_those_of_chosen_products(kernel, factors, n):
    rng = np.random.default_rng(n)
    arrays = rng.standard_normal((factors, 6, n))
    firsts = np.array([0, 3, 3, 8])  # the second sum has no products
    chosen = rng.integers(0, 6, (factors, 8))
    products = np.prod([a[c] for a, c in zip(arrays, chosen, strict=True)], axis=0)
    expected = np.array([products[a:b].sum(axis=0) for a, b in pairwise(firsts)])
    compiled, plain = np.full((2, 3 * n + 5), 7.0)
    given = (*arrays, firsts, *chosen)
    CODE[kernel.__name__](address_of(compiled), *map(address_of, given), 3, n)
    kernel(plain, *(a.ravel() for a in arrays), firsts, *chosen, 3, n)
    for found in (compiled, plain):
        np.testing.assert_allclose(found[: 3 * n].reshape(3, n), expected, rtol=1e-13, atol=1e-13)
        np.testing.assert_array_equal(found[3 * n :], 7.0)
