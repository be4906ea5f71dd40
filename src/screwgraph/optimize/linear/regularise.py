"""What is put onto the diagonal so that elimination without pivoting is stable with multipliers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import Reals, address_of, compile_kernels
from screwgraph.optimize.linear.hard_rows import HardRows, make_hard_rows
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.row_products import RowPlaces
from screwgraph.optimize.linear.symmetric_products import DiagonalEntries, find_diagonal, sum_diagonal

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


def select_middle(x: Reals, n: int) -> float:
    """Return the entry that stands at n // 2 in order; entries change places. Hoare (1961)."""
    k = n // 2
    low = 0
    high = n - 1
    while low < high:
        pivot = x[k]
        i = low
        j = high
        while i <= j:
            while x[i] < pivot:
                i = i + 1
            while pivot < x[j]:
                j = j - 1
            if i <= j:
                y = x[i]
                x[i] = x[j]
                x[j] = y
                i = i + 1
                j = j - 1
        if j < k:
            low = i
        if k < i:
            high = j
    return x[k]


def take_positive(sizes: Reals, sample: Reals, step: int, n: int) -> int:
    """Copy what is not zero of every so many sizes; return how many these are."""
    used = 0
    for k in range((n + step - 1) // step):
        if sizes[k * step] > 0.0:
            sample[used] = sizes[k * step]
            used = used + 1
    return used


def find_typical(sizes: Reals, sample: Reals, n: int) -> float:
    """Return the median of those that are not zero, 1 where there are none: of a sample, as its order counts."""
    step = n // SAMPLED
    if step < 1:
        step = 1
    used = take_positive(sizes, sample, step, n)
    if used == 0:
        used = take_positive(sizes, sample, 1, n)
    if used == 0:
        return 1.0
    return select_middle(sample, used)


def sum_squares(values: Reals, places: RowPlaces, row: int) -> float:
    """Return the sum of the squares of a row's entries, 1 where all are zero."""
    total = 0.0
    for e in range(places.firsts[row], places.firsts[row + 1]):
        total = total + values[e] * values[e]
    if total == 0.0:
        total = 1.0
    return total


def add_squares(scales: Reals, weights: Reals, slopes: Reals, places: RowPlaces, rows: int) -> None:
    """Add the squares of entries, times the weights of their rows, to the scales of their columns."""
    for row in range(rows):
        weight = weights[row]
        for e in range(places.firsts[row], places.firsts[row + 1]):
            x = slopes[e]
            i = places.columns[e]
            scales[i] = scales[i] + x * x * weight


def regularise_diagonal(
    sums: Reals, slopes: Reals, places: RowPlaces, rows: int, multipliers: float, is_first: int,
    buffer: Reals, shifts: Reals, scales: Reals, primal: int,
) -> None:  # fmt: skip
    """Write what to add to the diagonal, which holds these sums, and the scales of pivots."""
    n = primal + rows
    for i in range(n):
        shifts[i] = 0.0
        scales[i] = abs(sums[i])
    if rows == 0:
        return
    typical = find_typical(scales, buffer, primal)
    if is_first == 0:
        for i in range(primal):
            shifts[i] = OTHERS * typical
            scales[i] = OTHERS * typical
    unit = multipliers / typical
    part = SHARE * multipliers / MULTIPLIERS
    for row in range(rows):
        i = primal + row
        shifts[i] = -unit * sum_squares(slopes, places, row)
        scales[i] = scales[i] - shifts[i]
        buffer[row] = part / scales[i]
    if is_first != 0:
        add_squares(scales, buffer, slopes, places, rows)


REGULARISED = (select_middle, take_positive, find_typical, sum_squares, add_squares, regularise_diagonal)


@cache
def _compile_regularisation() -> Any:
    return compile_kernels((*REGULARISED, sum_diagonal)).functions


@dataclass(frozen=True, eq=False)
class Regulariser:
    """Which entries stand on the diagonal, and which in hard rows."""

    pattern: Pattern
    own: DiagonalEntries
    hard: HardRows
    multipliers: float = MULTIPLIERS

    def __call__(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], multipliers_first: bool
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]:
        """Return the diagonal to add, and the scale against which each pivot is judged."""
        primal, slopes = self.pattern.primal, self.hard.select_values(values)
        sums, shifts, scales, buffer = np.empty((4, max(self.pattern.count, 1)))[:, : self.pattern.count]
        code, (to, *given) = _compile_regularisation(), map(address_of, (sums, buffer, shifts, scales))
        code["sum_diagonal"](to, address_of(diagonal), address_of(values), *self._addresses, self.pattern.count)
        code["regularise_diagonal"](
            to, address_of(slopes), *self.hard.matrix.addresses,
            self.multipliers, int(multipliers_first), *given, primal,
        )  # fmt: skip
        return diagonal + shifts, scales

    @cached_property
    def _addresses(self) -> tuple[int, ...]:
        """Addresses of entries on the diagonal, and how many these are."""
        return *self.own.addresses, len(self.own.rows)


def make_regulariser(pattern: Pattern, multipliers: float = MULTIPLIERS) -> Regulariser:
    """Look up the entries."""
    _compile_regularisation()
    return Regulariser(pattern, find_diagonal(pattern), make_hard_rows(pattern), multipliers)
