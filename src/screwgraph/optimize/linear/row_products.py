"""Products with the entries of hard rows, as machine code; see `compiler.kernels`.

Entries stand one row after the other, so that sums over a row stay in registers, and what goes to columns does not wait
for the entry before. Four rows that begin with the same columns are taken at once, so that each column is read once.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import Bundle, Ints, Kernels, Reals, address_of, compile_kernels, tail
from screwgraph.optimize.fronts.shared_columns import count_shared_columns


class RowPlaces(Bundle):
    """Beginnings of rows, columns of their entries, and how many first ones a row and the three after it share."""

    firsts: Ints
    columns: Ints
    shared: Ints


def multiply_row(x: Reals, values: Reals, rows: RowPlaces, row: int, skipped: int, product: float) -> float:
    """Return the product of a row with x; that of its first entries is known."""
    total = product
    for e in range(rows.firsts[row] + skipped, rows.firsts[row + 1]):
        total = total + values[e] * x[rows.columns[e]]
    return total


def multiply_rows(y: Reals, x: Reals, values: Reals, rows: RowPlaces, count: int) -> None:
    """Write the product of each row with x."""
    row = 0
    while row < count:
        n = rows.shared[row]
        if n == 0:
            y[row] = multiply_row(x, values, rows, row, 0, 0.0)
            row = row + 1
            continue
        a = tail(values, rows.firsts[row])
        b = tail(values, rows.firsts[row + 1])
        c = tail(values, rows.firsts[row + 2])
        d = tail(values, rows.firsts[row + 3])
        columns = tail(rows.columns, rows.firsts[row])
        p = 0.0
        q = 0.0
        r = 0.0
        s = 0.0
        for k in range(n):
            own = x[columns[k]]
            p = p + a[k] * own
            q = q + b[k] * own
            r = r + c[k] * own
            s = s + d[k] * own
        y[row] = multiply_row(x, values, rows, row, n, p)
        y[row + 1] = multiply_row(x, values, rows, row + 1, n, q)
        y[row + 2] = multiply_row(x, values, rows, row + 2, n, r)
        y[row + 3] = multiply_row(x, values, rows, row + 3, n, s)
        row = row + 4


def add_row(y: Reals, factor: float, values: Reals, rows: RowPlaces, row: int, skipped: int) -> None:
    """Add a row, times a factor, to y, but for its first entries."""
    for e in range(rows.firsts[row] + skipped, rows.firsts[row + 1]):
        i = rows.columns[e]
        y[i] = y[i] + factor * values[e]


def add_columns(y: Reals, x: Reals, values: Reals, rows: RowPlaces, count: int) -> None:
    """Add to y the rows, each times its entry of x."""
    row = 0
    while row < count:
        n = rows.shared[row]
        p = x[row]
        if n == 0:
            add_row(y, p, values, rows, row, 0)
            row = row + 1
            continue
        q = x[row + 1]
        r = x[row + 2]
        s = x[row + 3]
        a = tail(values, rows.firsts[row])
        b = tail(values, rows.firsts[row + 1])
        c = tail(values, rows.firsts[row + 2])
        d = tail(values, rows.firsts[row + 3])
        columns = tail(rows.columns, rows.firsts[row])
        for k in range(n):
            i = columns[k]
            y[i] = y[i] + ((p * a[k] + q * b[k]) + (r * c[k] + s * d[k]))
        add_row(y, p, values, rows, row, n)
        add_row(y, q, values, rows, row + 1, n)
        add_row(y, r, values, rows, row + 2, n)
        add_row(y, s, values, rows, row + 3, n)
        row = row + 4


ROW_PRODUCTS = (multiply_row, multiply_rows, add_row, add_columns)


@cache
def compile_row_products() -> Kernels:
    """Return the machine code of these products."""
    return compile_kernels(ROW_PRODUCTS)


@dataclass(frozen=True, eq=False)
class MatrixEntries:
    """Places of a matrix's entries, one row after the other: those of row i are `firsts[i]` to `firsts[i + 1]`.

    A row may name a column twice.
    """

    __repr__ = one_line

    firsts: Int[np.ndarray, " m_1"]
    columns: Int[np.ndarray, " e"]
    width: int

    @classmethod
    def from_places(
        cls, rows: Int[np.ndarray, " e"], columns: Int[np.ndarray, " e"], shape: tuple[int, int]
    ) -> MatrixEntries:
        """Return entries at these places, whose rows never decrease."""
        firsts = np.searchsorted(rows, np.arange(shape[0] + 1))
        return cls(np.ascontiguousarray(firsts), np.ascontiguousarray(columns), shape[1])

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.firsts) - 1

    @cached_property
    def places(self) -> RowPlaces:
        """Places as kernels take them."""
        shared = count_shared_columns(self.columns, self.firsts[:-1], self.firsts[1:])
        return RowPlaces(firsts=self.firsts, columns=self.columns, shared=shared)

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of `places`, and the number of rows."""
        return *self.places.addresses, self.count

    def multiply(self, values: Float[np.ndarray, " e"], x: Float[np.ndarray, " n"]) -> Float[np.ndarray, " m"]:
        """Return A x."""
        return self._call("multiply_rows", np.empty(self.count), values, x)

    def multiply_transposed(
        self, values: Float[np.ndarray, " e"], y: Float[np.ndarray, " m"]
    ) -> Float[np.ndarray, " n"]:
        """Return A'y."""
        return self._call("add_columns", np.zeros(self.width), values, y)

    def _call(self, name: str, to: np.ndarray, values: np.ndarray, x: np.ndarray) -> np.ndarray:
        x = np.ascontiguousarray(x)
        code = compile_row_products().functions[name]
        code(address_of(to), address_of(x), address_of(values), *self.addresses)
        return to
