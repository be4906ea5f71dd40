"""Products with the entries of hard rows, as machine code; see `compiler.kernels`."""

from __future__ import annotations

from functools import cache

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler.kernels import Ints, Kernels, Reals, compile_kernels


def add_product(y: Reals, x: Reals, values: Reals, rows: Ints, columns: Ints, count: int) -> None:
    """Add to y the product of x with the matrix that has these entries."""
    for e in range(count):
        y[rows[e]] = y[rows[e]] + values[e] * x[columns[e]]


def add_diagonals(
    own: Reals, squares: Reals, values: Reals, entries: Ints, at: Ints, count: int, across: Ints, rows: Ints, hard: int
) -> None:
    """Add the diagonal's entries to one vector, and squares of the entries of hard rows to another one."""
    for e in range(count):
        own[at[e]] = own[at[e]] + values[entries[e]]
    for e in range(hard):
        x = values[across[e]]
        squares[rows[e]] = squares[rows[e]] + x * x


def add_weighted_squares(
    to: Reals, values: Reals, weights: Reals, entries: Ints, rows: Ints, columns: Ints, count: int
) -> None:
    """Add the squares of entries, times the weights of their rows, to their columns."""
    for e in range(count):
        x = values[entries[e]]
        to[columns[e]] = to[columns[e]] + x * x * weights[rows[e]]


@cache
def compile_row_products() -> Kernels:
    """Return the machine code of these products."""
    return compile_kernels((add_product, add_diagonals, add_weighted_squares))


class MatrixEntries:
    """Places of a matrix's entries, for products with vectors; rows and columns may repeat."""

    def __init__(self, rows: Int[np.ndarray, " e"], columns: Int[np.ndarray, " e"], shape: tuple[int, int]) -> None:
        self.rows, self.columns, self.shape = np.ascontiguousarray(rows), np.ascontiguousarray(columns), shape
        row, column = self.rows.ctypes.data, self.columns.ctypes.data  # NumPy takes a microsecond for each
        self._forward, self._back = (row, column, len(rows)), (column, row, len(rows))

    def multiply(self, values: Float[np.ndarray, " e"], x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        """Return A x."""
        return self._add(values, x, self.shape[0], self._forward)

    def multiply_transposed(
        self, values: Float[np.ndarray, " e"], y: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, " n"]:
        """Return A'y."""
        return self._add(values, y, self.shape[1], self._back)

    def _add(self, values: np.ndarray, x: np.ndarray, count: int, at: tuple[int, int, int]) -> np.ndarray:
        y = np.zeros(count)
        if at[2]:
            x = np.ascontiguousarray(x)
            compile_row_products().functions["add_product"](y.ctypes.data, x.ctypes.data, values.ctypes.data, *at)
        return y
