"""Slacks s and multipliers z of inequalities in an interior point's steps, as machine code; see `compiler.kernels`.

Arrays have one number for each of `count` inequalities, but for unknowns, and for entries of their slopes G.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import Ints, Reals, address_of, compile_kernels


def add_pulls(
    s: Reals, z: Reals, r: Reals, other_s: Reals, other_z: Reals, right: Reals,
    G: Reals, firsts: Ints, columns: Ints, pulls: Reals, barrier: float, bend: float, count: int,
) -> None:  # fmt: skip
    """Take G'p off a vector, p, which is written to `pulls`, being what multipliers are before a step.

    Slacks take residuals r away, and products become the barrier less `bend` times those of other changes. Entries of
    row i of G are those from firsts[i] to firsts[i + 1]. Divisions stand in a loop of their own, else they would be
    moved into that over entries.
    """
    for i in range(count):
        pulls[i] = (barrier - bend * other_s[i] * other_z[i] + z[i] * r[i]) / s[i]
    for i in range(count):
        pull = pulls[i]
        for e in range(firsts[i], firsts[i + 1]):
            right[columns[e]] = right[columns[e]] - G[e] * pull


def write_changes(
    s: Reals, z: Reals, r: Reals, other_s: Reals, other_z: Reals, d: Reals,
    G: Reals, firsts: Ints, columns: Ints, ds: Reals, dz: Reals, parts: Reals, least: Reals,
    barrier: float, bend: float, count: int,
) -> float:  # fmt: skip
    """Write changes of both where unknowns change by d, and the least parts of each; return the sum of those of slacks.

    Other arguments are those of `add_pulls`.
    """
    for i in range(count):
        change = -r[i]
        for e in range(firsts[i], firsts[i + 1]):
            change = change - G[e] * d[columns[e]]
        ds[i] = change
    total = 0.0
    for i in range(count):
        inverse = 1.0 / s[i]
        parts[i] = ds[i] * inverse
        dz[i] = (barrier - bend * other_s[i] * other_z[i] - z[i] * ds[i]) * inverse - z[i]
        total = total + parts[i]
    least_s = 0.0
    least_z = 0.0
    for i in range(count):
        if parts[i] < least_s:
            least_s = parts[i]
        if dz[i] < least_z * z[i]:
            least_z = dz[i] / z[i]
    least[0] = least_s
    least[1] = least_z
    return total


def measure_rows(
    s: Reals, z: Reals, g: Reals, slope: Reals, G: Reals, firsts: Ints, columns: Ints, found: Reals, count: int
) -> None:
    """Add G'z to a slope; write the largest |g + s|, the least and the largest product of s and z."""
    residual = 0.0
    low = s[0] * z[0]
    high = low
    for i in range(count):
        dual = z[i]
        for e in range(firsts[i], firsts[i + 1]):
            slope[columns[e]] = slope[columns[e]] + G[e] * dual
        off = abs(g[i] + s[i])
        if off > residual:
            residual = off
        product = s[i] * dual
        if product < low:
            low = product
        if product > high:
            high = product
    found[0] = residual
    found[1] = low
    found[2] = high


def move_both(
    s: Reals, z: Reals, ds: Reals, dz: Reals, length: float, duals: float, to: Reals, to_z: Reals, count: int
) -> None:
    """Write both after parts of their changes."""
    for i in range(count):
        to[i] = s[i] + length * ds[i]
        to_z[i] = z[i] + duals * dz[i]


def write_slacks(s: Reals, g: Reals, to: Reals, count: int) -> float:
    """Write slacks that are not smaller than they can be; return the sum of |g + s|."""
    total = 0.0
    for i in range(count):
        x = s[i]
        if -g[i] > x:
            x = -g[i]
        to[i] = x
        total = total + abs(g[i] + x)
    return total


def bound_both(s: Reals, z: Reals, g: Reals, barrier: float, spread: float, to: Reals, to_z: Reals, count: int) -> None:
    """Write slacks that are not smaller than they can be, and multipliers within a factor of barrier / slack."""
    for i in range(count):
        x = s[i]
        if -g[i] > x:
            x = -g[i]
        middle = barrier / x
        y = z[i]
        if y < middle / spread:
            y = middle / spread
        if y > middle * spread:
            y = middle * spread
        to[i] = x
        to_z[i] = y


@cache
def _compile_slacks() -> Any:
    return compile_kernels((add_pulls, write_changes, measure_rows, move_both, write_slacks, bound_both)).functions


def call_on_slacks(name: str, *given: np.ndarray | float) -> Any:
    """Call a kernel of these with arrays, which are contiguous, or their addresses, and numbers.

    The count follows from the first array.
    """
    first = given[0]
    assert isinstance(first, np.ndarray)
    return _compile_slacks()[name](*[address_of(x) if isinstance(x, np.ndarray) else x for x in given], first.size)


def sum_logarithms(s: Float[np.ndarray, " k"]) -> float:
    """Return the sum of the logarithms of slacks, those of four products at once."""
    quarter = len(s) // 4
    parts = [s[i * quarter : (i + 1) * quarter] for i in range(4)]
    return float(np.log(parts[0] * parts[1] * (parts[2] * parts[3])).sum() + np.log(s[4 * quarter :]).sum())
