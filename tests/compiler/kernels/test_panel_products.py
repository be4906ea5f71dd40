"""Products and divisions of panels are those of NumPy for any rows and columns, and nothing else is written."""

from __future__ import annotations

import numpy as np
import pytest

from screwgraph.compiler.kernels import Reals, address_of, assembled, compile_kernels
from screwgraph.optimize.fronts.front_cholesky import add_products, divide_rows, subtract_products

CODE = compile_kernels([subtract_products, add_products, divide_rows]).functions
ROWS = (1, 3, 4, 7, 8, 9, 15, 16, 17, 31, 40)


@pytest.mark.parametrize(("kernel", "sign"), [(subtract_products, -1.0), (add_products, 1.0)])
@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_products_are_added_to_the_rows_that_are_named(kernel, sign, width):
    rng = np.random.default_rng(width)
    for n in ROWS:
        for k in (0, 1, 5):
            ld = n + 5
            a, before = rng.standard_normal((k, ld)), rng.standard_normal((width, ld))
            expected = before.copy()
            expected[:, :n] += sign * a[:, :width].T @ a[:, :n]
            compiled, plain = before.copy(), before.copy()
            CODE[kernel.__name__](address_of(compiled), address_of(a), ld, n, k, width)
            kernel(plain.ravel(), a.ravel(), ld, n, k, width)
            np.testing.assert_allclose(compiled, expected, rtol=1e-13, atol=1e-13)
            np.testing.assert_allclose(plain, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize("width", [1, 2, 3, 4])
def test_rows_below_a_triangle_are_divided_by_it(width):
    rng = np.random.default_rng(width)
    for below in ROWS:
        n, ld = width + below, width + below + 3
        before = rng.standard_normal((width, ld))
        L = np.tril(before[:, :width].T, -1) + np.diag(rng.uniform(1.0, 2.0, width))
        before[:, :width] = L.T
        expected = before.copy()
        expected[:, width:n] = np.linalg.solve(L, before[:, width:n])
        compiled, plain = before.copy(), before.copy()
        CODE["divide_rows"](address_of(compiled), ld, n, width)
        divide_rows(plain.ravel(), ld, n, width)
        np.testing.assert_allclose(compiled, expected, rtol=1e-12, atol=1e-13)
        np.testing.assert_allclose(plain, expected, rtol=1e-12, atol=1e-13)


def test_a_kernel_may_bring_its_own_code():
    @assembled(lambda name: f"define void @{name}(ptr %x) {{\n  store double 2.0, ptr %x\n  ret void\n}}")
    def two(x: Reals) -> None:
        """Write two."""
        x[0] = 2.0

    def four(x: Reals) -> None:
        """Write four."""
        two(x)
        x[0] = x[0] * x[0]

    x = np.zeros(1)
    compile_kernels([two, four]).functions["four"](address_of(x))
    assert x[0] == 4.0


def test_addresses_are_those_of_numpy():
    x = np.arange(6.0)
    fixed = x.copy()
    fixed.flags.writeable = False
    for array in (x, x[2:], x[::2], fixed, np.zeros(0), np.zeros((2, 3))):
        assert address_of(array) == array.ctypes.data or array.size == 0
