"""What is put onto the diagonal so that elimination without pivoting is stable with multipliers."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.linear.pattern import Pattern

MULTIPLIERS = 1e-7
"""Put onto the multipliers' diagonal, relative to |a|^2 / h: a is a constraint's row, h typical of H's diagonal."""
OTHERS = 1e-9
"""Put onto the others' where these may be eliminated before their multipliers, relative to h."""


def regularised(
    pattern: Pattern,
    rows: Int[np.ndarray, " E"],
    cols: Int[np.ndarray, " E"],
    values: Float[np.ndarray, " E"],
    diagonal: Float[np.ndarray, " n"],
    multipliers_first: bool,
) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
    """Return the diagonal to add, and the scale against which each pivot is judged."""
    n, primal = pattern.count, pattern.primal
    on = rows == cols
    own = np.bincount(rows[on], values[on], minlength=n) + diagonal
    scales = np.abs(own)
    if primal == n:
        return diagonal, scales
    across = (rows >= primal) & (cols < primal)
    squares = values[across] ** 2
    row_squares = np.bincount(rows[across], squares, minlength=n)[primal:]
    used = scales[:primal][scales[:primal] > 0]
    typical = float(np.median(used)) if used.size else 1.0
    shift = MULTIPLIERS * np.where(row_squares > 0, row_squares, 1.0) / typical
    shifted = diagonal.copy()
    shifted[primal:] -= shift
    pivots = np.abs(own[primal:]) + shift
    if multipliers_first:
        weight = squares / pivots[rows[across] - primal]
        scales[:primal] += np.bincount(cols[across], weight, minlength=n)[:primal] * 1e-3
    else:
        shifted[:primal] += OTHERS * typical
        scales[:primal] = OTHERS * typical
    scales[primal:] = pivots
    return shifted, scales
