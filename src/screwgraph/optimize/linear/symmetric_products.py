"""Products with symmetric matrices given by entries of their lower triangle, as machine code; see `compiler.kernels`.

Entries that stand one after the other in one row, off the diagonal, are a run: sums over a run stay in registers.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Bool, Float, Int
from numpy import maximum

from screwgraph.compiler.kernels import Bundle, Ints, Reals, address_of, compile_kernels, tail
from screwgraph.optimize.fronts.shared_columns import count_shared_columns
from screwgraph.optimize.linear.pattern import Pattern

ROUNDING = 1e-10
"""Part of the largest right side below which others count as if they were so large."""
TINY = float(np.finfo(float).tiny)


class DiagonalEntries(Bundle):
    """Which values stand on the diagonal, and where."""

    entries: Ints
    rows: Ints


class SymmetricRuns(Bundle):
    """Columns of entries of a lower triangle; rows of runs of them, where these begin and end.

    And how many first columns a run and the three after it have in common, see `fronts/shared_columns.py`.
    """

    columns: Ints
    rows: Ints
    begins: Ints
    ends: Ints
    shared: Ints


def multiply_run(
    y: Reals, x: Reals, values: Reals, columns: Ints, row: int, first: int, end: int, product: float
) -> None:  # fmt: skip
    """Add the products of entries of a row, besides one that is known: four sums at once do not wait for each other."""
    own = x[row]
    e = first
    a = product
    b = 0.0
    c = 0.0
    d = 0.0
    while e + 4 <= end:
        i = columns[e]
        j = columns[e + 1]
        k = columns[e + 2]
        m = columns[e + 3]
        a = a + values[e] * x[i]
        b = b + values[e + 1] * x[j]
        c = c + values[e + 2] * x[k]
        d = d + values[e + 3] * x[m]
        y[i] = y[i] + values[e] * own
        y[j] = y[j] + values[e + 1] * own
        y[k] = y[k] + values[e + 2] * own
        y[m] = y[m] + values[e + 3] * own
        e = e + 4
    while e < end:
        a = a + values[e] * x[columns[e]]
        y[columns[e]] = y[columns[e]] + values[e] * own
        e = e + 1
    y[row] = y[row] + ((a + b) + (c + d))


def multiply_four_runs(y: Reals, x: Reals, values: Reals, runs: SymmetricRuns, r: int) -> None:
    """Add the products of a run, and of the three after it, whose first columns are alike."""
    first = runs.begins[r]
    second = runs.begins[r + 1]
    third = runs.begins[r + 2]
    fourth = runs.begins[r + 3]
    v = tail(values, first)
    w = tail(values, second)
    g = tail(values, third)
    h = tail(values, fourth)
    p = x[runs.rows[r]]
    q = x[runs.rows[r + 1]]
    s = x[runs.rows[r + 2]]
    t = x[runs.rows[r + 3]]
    a = 0.0
    b = 0.0
    c = 0.0
    d = 0.0
    n = runs.shared[r]
    columns = tail(runs.columns, first)
    for k in range(n):
        i = columns[k]
        own = x[i]
        a = a + v[k] * own
        b = b + w[k] * own
        c = c + g[k] * own
        d = d + h[k] * own
        y[i] = y[i] + ((v[k] * p + w[k] * q) + (g[k] * s + h[k] * t))
    multiply_run(y, x, values, runs.columns, runs.rows[r], first + n, runs.ends[r], a)
    multiply_run(y, x, values, runs.columns, runs.rows[r + 1], second + n, runs.ends[r + 1], b)
    multiply_run(y, x, values, runs.columns, runs.rows[r + 2], third + n, runs.ends[r + 2], c)
    multiply_run(y, x, values, runs.columns, runs.rows[r + 3], fourth + n, runs.ends[r + 3], d)


def sum_diagonal(sums: Reals, diagonal: Reals, values: Reals, own: DiagonalEntries, count: int, n: int) -> None:
    """Write the sums of a diagonal and of entries that stand there."""
    for i in range(n):
        sums[i] = diagonal[i]
    for k in range(count):
        sums[own.rows[k]] = sums[own.rows[k]] + values[own.entries[k]]


def add_runs(y: Reals, x: Reals, values: Reals, runs: SymmetricRuns, count: int) -> None:
    """Add the products of entries that stand beside the diagonal, below and above it."""
    r = 0
    while r < count:
        if runs.shared[r] > 0:
            multiply_four_runs(y, x, values, runs, r)
            r = r + 4
        else:
            multiply_run(y, x, values, runs.columns, runs.rows[r], runs.begins[r], runs.ends[r], 0.0)
            r = r + 1


def multiply_symmetric(
    y: Reals, x: Reals, diagonal: Reals, values: Reals, own: DiagonalEntries, own_count: int,
    runs: SymmetricRuns, count: int, n: int,
) -> None:  # fmt: skip
    """Write (K + D) x, D the diagonal."""
    sum_diagonal(y, diagonal, values, own, own_count, n)
    for i in range(n):
        y[i] = y[i] * x[i]
    add_runs(y, x, values, runs, count)


def find_part(b: Reals, y: Reals, least: float, n: int) -> float:
    """Return the largest |b - y| relative to the largest |b|, which counts as `least` at least; NaN if there is one."""
    left = 0.0
    size = least
    for i in range(n):
        left = maximum(left, abs(b[i] - y[i]))
        size = maximum(size, abs(b[i]))
    return left / size


def compare_products(b: Reals, y: Reals, primal: int, n: int) -> float:
    """Return how large b - y is beside b: in the first rows or in the others."""
    least = 0.0
    for i in range(n):
        least = maximum(least, abs(b[i]))
    least = ROUNDING * least + TINY
    first = find_part(b, y, least, primal)
    other = find_part(tail(b, primal), tail(y, primal), least, n - primal)
    return maximum(first, other)


def measure_residual(
    b: Reals, y: Reals, x: Reals, diagonal: Reals, values: Reals, own: DiagonalEntries, own_count: int,
    runs: SymmetricRuns, count: int, primal: int, n: int,
) -> float:  # fmt: skip
    """Write (K + D) x to y; return how large b - y is beside b: in the first rows or in the others."""
    multiply_symmetric(y, x, diagonal, values, own, own_count, runs, count, n)
    return compare_products(b, y, primal, n)


SYMMETRIC = (
    multiply_run, multiply_four_runs, sum_diagonal, add_runs, multiply_symmetric, find_part, compare_products,
    measure_residual,
)  # fmt: skip


@cache
def _compile_products() -> Any:
    return compile_kernels(SYMMETRIC).functions


@dataclass(frozen=True, eq=False)
class SymmetricEntries:
    """Places of entries of a lower triangle: those on the diagonal, and runs of those beside it."""

    own: DiagonalEntries
    runs: SymmetricRuns
    primal: int
    count: int

    @classmethod
    def from_pattern(cls, pattern: Pattern) -> SymmetricEntries:
        """Find the runs of a pattern."""
        _compile_products()
        rows, columns = pattern.rows, pattern.cols
        return cls(find_diagonal(pattern), find_runs(rows, columns, rows != columns), pattern.primal, pattern.count)

    @cached_property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of entries on the diagonal, and of runs, and their numbers."""
        return (*self.own.addresses, len(self.own.rows), *self.runs.addresses, len(self.runs.rows))

    def multiply(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], x: Float[np.ndarray, " n"]
    ) -> Float[np.ndarray, " n"]:
        """Return (K + D) x."""
        y = np.empty(self.count)
        given = map(address_of, (y, x, diagonal, values))
        _compile_products()["multiply_symmetric"](*given, *self.addresses, self.count)
        return y

    def measure_residual(
        self,
        values: Float[np.ndarray, " E"],
        diagonal: Float[np.ndarray, " n"],
        x: Float[np.ndarray, " n"],
        b: Float[np.ndarray, " n"],
    ) -> float:
        """Return how large b - (K + D) x is beside b: in the rows of multipliers or in the others, what is more."""
        y = np.empty(self.count)
        given = map(address_of, (b, y, x, diagonal, values))
        return _compile_products()["measure_residual"](*given, *self.addresses, self.primal, self.count)


def find_diagonal(pattern: Pattern) -> DiagonalEntries:
    """Find the entries of a pattern that stand on the diagonal."""
    own = np.flatnonzero(pattern.rows == pattern.cols)
    return DiagonalEntries(entries=own, rows=np.ascontiguousarray(pattern.rows[own]))


def find_runs(
    rows: Int[np.ndarray, " E"], columns: Int[np.ndarray, " E"], chosen: Bool[np.ndarray, " E"]
) -> SymmetricRuns:
    """Find the runs of chosen entries: of one row, one after the other."""
    places = np.flatnonzero(chosen)
    begins = (np.diff(rows[places], prepend=-1) != 0) | (np.diff(places, prepend=-1) != 1)
    starts = np.flatnonzero(begins)
    first, end = places[starts], places[np.append(starts[1:], len(places))[: len(starts)] - 1] + 1
    shared = count_shared_columns(columns, first, end)
    return SymmetricRuns(columns=columns, rows=rows[first], begins=first, ends=end, shared=shared)
