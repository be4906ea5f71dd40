"""Entries of hard rows among the values of a pattern."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.row_products import MatrixEntries


@dataclass(frozen=True, eq=False)
class HardRows:
    """Entries of hard rows, one row after the other: which values they are; a slice where these stand so already.

    Where a row that names a column twice is to name it once in `matrix`, `sums` says which entry each value goes to.
    """

    entries: Int[np.ndarray, " A"] | slice
    matrix: MatrixEntries
    sums: Int[np.ndarray, " A"] | None = None

    def select_values(self, values: Float[np.ndarray, " E"]) -> Float[np.ndarray, " a"]:
        """Return the values of all entries, contiguous: a part of `values` where they stand side by side."""
        found = values[self.entries]
        return found if self.sums is None else np.bincount(self.sums, found, len(self.matrix.columns))


def make_hard_rows(pattern: Pattern) -> HardRows:
    """Look up the entries of rows of multipliers in columns of others; a row may name a column twice."""
    primal = pattern.primal
    across = np.flatnonzero((pattern.rows >= primal) & (pattern.cols < primal))
    row = pattern.rows[across] - primal
    if (np.diff(row) < 0).any():
        order = np.argsort(row, kind="stable")
        across, row = across[order], row[order]
    matrix = MatrixEntries.from_places(row, pattern.cols[across], (pattern.count - primal, primal))
    is_slice = len(across) > 0 and bool((np.diff(across) == 1).all())
    return HardRows(slice(int(across[0]), int(across[-1]) + 1) if is_slice else across, matrix)


def merge_columns(rows: HardRows) -> HardRows:
    """Return rows that name each column once."""
    matrix, width = rows.matrix, max(rows.matrix.width, 1)
    row = np.repeat(np.arange(matrix.count), np.diff(matrix.firsts))
    keys, sums = np.unique(row * width + matrix.columns, return_inverse=True)
    if len(keys) == len(matrix.columns):
        return rows
    row, columns = np.divmod(keys, width)
    return HardRows(rows.entries, MatrixEntries.from_places(row, columns, (matrix.count, matrix.width)), sums)
