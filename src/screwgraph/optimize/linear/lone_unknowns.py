"""Unknowns of one hard row alone: no other row has them, and no entry of H ties them to another unknown.

Such an unknown y goes together with the multiplier of its row a'x + s y, in closed form, whatever the numbers are: with
h y^2 / 2 in the cost, and -d on the multiplier's diagonal, the weight h / (s^2 + d h) of a'x is what is left. Of a
torque, the law of motion then weighs as much as its cost.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool

from screwgraph.compiler.kernels import Bundle, Ints
from screwgraph.optimize.linear.hard_rows import HardRows
from screwgraph.optimize.linear.pattern import Pattern


class LoneUnknowns(Bundle):
    """Of each hard row, the unknown that it has alone, or -1, and which of the rows' entries that is."""

    unknowns: Ints
    entries: Ints


@dataclass(frozen=True, eq=False)
class ReducedPattern:
    """A pattern without its lone unknowns: some of its blocks are smaller."""

    lone: LoneUnknowns
    pattern: Pattern
    is_kept: Bool[np.ndarray, " n"]
    """Whether it has an unknown."""


def reduce_pattern(pattern: Pattern, rows: HardRows) -> ReducedPattern:
    """Find lone unknowns, one a row at most."""
    primal, matrix = pattern.primal, rows.matrix
    ties = np.bincount(matrix.columns, minlength=primal)
    apart = (pattern.rows != pattern.cols) & (pattern.rows < primal)
    for places in (pattern.rows[apart], pattern.cols[apart]):
        ties[places] += 2
    row = np.repeat(np.arange(matrix.count), np.diff(matrix.firsts))
    alone = np.flatnonzero(ties[matrix.columns] == 1)
    chosen, which = np.unique(row[alone], return_index=True)
    unknowns, entries = np.full((2, matrix.count), -1)
    entries[chosen] = alone[which]
    unknowns[chosen] = matrix.columns[alone[which]]
    is_kept = np.ones(pattern.count, dtype=bool)
    is_kept[unknowns[chosen]] = False
    inside = is_kept[pattern.rows] & is_kept[pattern.cols]
    numbers = np.cumsum(is_kept) - 1
    sizes = np.bincount(pattern.block_of[is_kept], minlength=pattern.sizes.size)
    reduced = Pattern(sizes, numbers[pattern.rows[inside]], numbers[pattern.cols[inside]], pattern.multipliers)
    return ReducedPattern(LoneUnknowns(unknowns=unknowns, entries=entries), reduced, is_kept)
