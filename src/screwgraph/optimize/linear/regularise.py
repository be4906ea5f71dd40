"""What is put onto the diagonal so that elimination without pivoting is stable with multipliers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

from screwgraph.compiler.kernels import address_of
from screwgraph.optimize.linear.hard_rows import HardRows, make_hard_rows
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


SAMPLED = 512
"""So many entries of a diagonal, evenly spread, tell the typical one."""


@dataclass(frozen=True, eq=False)
class Regulariser:
    """Which entries stand on the diagonal (`own`, at `own_at`), and which in hard rows; arrays are contiguous."""

    pattern: Pattern
    own: Int[np.ndarray, " D"]
    own_at: Int[np.ndarray, " D"]
    hard: HardRows
    multipliers: float = MULTIPLIERS

    def __call__(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], multipliers_first: bool
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return the diagonal to add, and the scale against which each pivot is judged."""
        n, primal = self.pattern.count, self.pattern.primal
        own = diagonal.copy()
        arrays = (own, values, self.own, self.own_at)
        compile_row_products().functions["add_diagonal"](*map(address_of, arrays), self.own.size)
        scales = np.abs(own)
        if primal == n:
            return diagonal, scales
        typical, slopes = _find_typical(scales[:primal]), self.hard.select_values(values)
        row_squares = self.hard.matrix.square_rows(slopes)
        row_squares[row_squares == 0.0] = 1.0
        shift = (self.multipliers / typical) * row_squares
        shifted = diagonal.copy()
        shifted[primal:] -= shift
        pivots = scales[primal:]
        pivots += shift
        if multipliers_first:
            weights = SHARE * self.multipliers / MULTIPLIERS / pivots
            self.hard.matrix.add_weighted_squares(scales, slopes, weights)
        else:
            shifted[:primal] += OTHERS * typical
            scales[:primal] = OTHERS * typical
        return shifted, scales


def _find_typical(sizes: Float[np.ndarray, " n"]) -> float:
    """Return the median of those that are not zero, 1 where there are none: of a sample, as its order counts."""
    sampled = sizes[:: max(1, len(sizes) // SAMPLED)]
    used = sampled[sampled > 0.0]
    used = used if used.size else sizes[sizes > 0.0]
    return float(np.partition(used, used.size // 2)[used.size // 2]) if used.size else 1.0


def make_regulariser(pattern: Pattern, multipliers: float = MULTIPLIERS) -> Regulariser:
    """Look up the entries."""
    own = np.flatnonzero(pattern.rows == pattern.cols)
    return Regulariser(pattern, own, pattern.rows[own], make_hard_rows(pattern), multipliers)
