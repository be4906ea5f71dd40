"""Products with the entries of hard rows, as machine code; see `compiler.kernels`.

Entries stand one row after the other, so that sums over a row stay in registers, and what goes to columns does not wait
for the entry before.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.summary import one_line
from screwgraph.compiler.kernels import Ints, Kernels, Reals, address_of, compile_kernels


def multiply_rows(y: Reals, x: Reals, values: Reals, firsts: Ints, columns: Ints, count: int) -> None:
    """Write the product of each row with x."""
    for row in range(count):
        total = 0.0
        for e in range(firsts[row], firsts[row + 1]):
            total = total + values[e] * x[columns[e]]
        y[row] = total


def add_columns(y: Reals, x: Reals, values: Reals, firsts: Ints, columns: Ints, count: int) -> None:
    """Add to y the rows, each times its entry of x."""
    for row in range(count):
        factor = x[row]
        for e in range(firsts[row], firsts[row + 1]):
            y[columns[e]] = y[columns[e]] + factor * values[e]


@cache
def compile_row_products() -> Kernels:
    """Return the machine code of these products."""
    return compile_kernels((multiply_rows, add_columns))


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
    def addresses(self) -> tuple[int, int, int]:
        """Addresses of both arrays and the number of rows, as NumPy takes a microsecond for each."""
        return self.firsts.ctypes.data, self.columns.ctypes.data, self.count

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
