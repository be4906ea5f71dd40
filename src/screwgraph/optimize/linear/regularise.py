"""What is put onto the diagonal so that elimination without pivoting is stable with multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.row_products import compile_row_products

MULTIPLIERS = 1e-9
"""Put onto the multipliers' diagonal, relative to |a|^2 / h: a is a constraint's row, h typical of H's diagonal."""
LIGHT = 1e-11
"""The same where only solutions are asked for: refinement converges where H is nearly flat on the constraints, too."""
OTHERS = 1e-9
"""Put onto the others' where these may be eliminated before their multipliers, relative to h."""
SHARE = 1e-3
"""How much of what hard rows, as stiff springs, put onto the diagonal counts for the scale of its pivots: these may end
at H's own, which are 1e-9 of the springs' (`MULTIPLIERS`)."""


@dataclass(frozen=True, eq=False)
class Regulariser:
    """Which entries stand on the diagonal (`own`), and which in hard rows (`across`); all contiguous."""

    pattern: Pattern
    own: Int[np.ndarray, " D"]
    own_at: Int[np.ndarray, " D"]
    across: Int[np.ndarray, " A"]
    across_row: Int[np.ndarray, " A"]
    across_col: Int[np.ndarray, " A"]
    multipliers: float = MULTIPLIERS

    def __call__(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], multipliers_first: bool
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return the diagonal to add, and the scale against which each pivot is judged."""
        n, primal = self.pattern.count, self.pattern.primal
        own, row_squares = diagonal.copy(), np.zeros(n - primal)
        code, across = compile_row_products().functions, (self.across, self.across_row)
        arrays = [a.ctypes.data for a in (own, row_squares, values, self.own, self.own_at)]
        code["add_diagonals"](*arrays, self.own.size, *(a.ctypes.data for a in across), self.across.size)
        scales = np.abs(own)
        if primal == n:
            return diagonal, scales
        used = scales[:primal][scales[:primal] > 0]
        typical = float(np.partition(used, used.size // 2)[used.size // 2]) if used.size else 1.0  # their median
        shift = self.multipliers * np.where(row_squares > 0, row_squares, 1.0) / typical
        shifted = diagonal.copy()
        shifted[primal:] -= shift
        pivots = np.abs(own[primal:]) + shift
        if multipliers_first:
            weights = SHARE * self.multipliers / MULTIPLIERS / pivots
            arrays = (scales, values, weights, *across, self.across_col)
            code["add_weighted_squares"](*(a.ctypes.data for a in arrays), self.across.size)
        else:
            shifted[:primal] += OTHERS * typical
            scales[:primal] = OTHERS * typical
        scales[primal:] = pivots
        return shifted, scales


def make_regulariser(pattern: Pattern, multipliers: float = MULTIPLIERS) -> Regulariser:
    """Look up the entries."""
    own = np.flatnonzero(pattern.rows == pattern.cols)
    across = np.flatnonzero((pattern.rows >= pattern.primal) & (pattern.cols < pattern.primal))
    row, col = pattern.rows[across] - pattern.primal, pattern.cols[across]
    return Regulariser(pattern, own, pattern.rows[own], across, row, col, multipliers)
