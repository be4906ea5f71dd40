"""Slacks s and multipliers z of inequalities in an interior point's steps, as machine code; see `compiler.kernels`.

All arrays have one number for each of `count` inequalities.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np

from screwgraph.compiler.kernels import Reals, address_of, compile_kernels


def write_pull(s: Reals, z: Reals, r: Reals, target: Reals, pull: Reals, count: int) -> None:
    """Write what multipliers are before a step, if slacks take residuals r away and products become the target."""
    for i in range(count):
        pull[i] = (target[i] + z[i] * r[i]) / s[i]


def write_changes(
    s: Reals, z: Reals, r: Reals, target: Reals, moved: Reals,
    ds: Reals, dz: Reals, of_s: Reals, of_z: Reals, count: int,
) -> float:  # fmt: skip
    """Write changes of both, and what part of each they are; return the sum of the parts of slacks."""
    total = 0.0
    for i in range(count):
        d = -r[i] - moved[i]
        change = (target[i] - z[i] * d) / s[i] - z[i]
        part = d / s[i]
        ds[i] = d
        dz[i] = change
        of_s[i] = part
        of_z[i] = change / z[i]
        total = total + part
    return total


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
    return compile_kernels((write_pull, write_changes, move_both, write_slacks, bound_both)).functions


def call_on_slacks(name: str, *given: np.ndarray | float) -> Any:
    """Call a kernel of these with arrays, which are contiguous, and numbers; the count follows from the first array."""
    first = given[0]
    assert isinstance(first, np.ndarray)
    return _compile_slacks()[name](*[address_of(x) if isinstance(x, np.ndarray) else x for x in given], first.size)
