"""The KKT equations of active inequalities as machine code; see `compiler.kernels`.

A row is active where `active` is 1, else that is 0. Entries of Jacobians repeat places, if rows do.
"""

from __future__ import annotations

from functools import cache

from screwgraph.compiler.kernels import Bundle, Ints, Kernels, Reals, compile_kernels

HUGE = 1e300
"""A sum that is not below it is not finite."""


class ProductTable(Bundle):
    """Products of factors' slopes with multipliers, J'y, and the direction that each belongs to."""

    values: Reals
    columns: Ints


class HardTable(Bundle):
    """Residuals of rows, and their slopes: `values` in `columns`.

    Row i has the entries `entries[firsts[i]]` to `entries[firsts[i + 1] - 1]`, as few rows are active.
    """

    residuals: Reals
    values: Reals
    columns: Ints
    entries: Ints
    firsts: Ints


def choose_active(table: HardTable, count: int, was: Ints, active: Ints, z: Reals, violated: float) -> int:
    """Write which inequalities are active after a step; return how many have changed.

    Active ones without a multiplier leave, those that are violated join.
    """
    changed = 0
    for i in range(count):
        now = 0
        if was[i] != 0:
            if z[i] != 0.0:
                now = 1
        elif table.residuals[i] > violated:
            now = 1
        if now != was[i]:
            changed = changed + 1
        active[i] = now
    return changed


def add_products(table: ProductTable, count: int, to: Reals) -> None:
    """Add products to their directions."""
    for e in range(count):
        to[table.columns[e]] = to[table.columns[e]] + table.values[e]


def write_slope(
    equal: ProductTable, equal_count: int, unequal: ProductTable, unequal_count: int,
    gradient: Reals, units: Reals, slope: Reals, size: int,
) -> None:  # fmt: skip
    """Write the gradient of the Lagrangian; products are those without units of directions."""
    for i in range(size):
        slope[i] = 0.0
    add_products(equal, equal_count, slope)
    add_products(unequal, unequal_count, slope)
    for i in range(size):
        slope[i] = gradient[i] + units[i] * slope[i]


def sum_up(values: Reals, count: int) -> float:
    """Return a sum, which is infinite or NaN where a number is."""
    total = 0.0
    for i in range(count):
        total = total + values[i]
    return total


def find_largest(values: Reals, count: int, least: float) -> float:
    """Return the largest size of some numbers, but no less than `least`: four chains of comparisons side by side."""
    a = least
    b = least
    c = least
    d = least
    for k in range(count // 4):
        i = 4 * k
        if abs(values[i]) > a:
            a = abs(values[i])
        if abs(values[i + 1]) > b:
            b = abs(values[i + 1])
        if abs(values[i + 2]) > c:
            c = abs(values[i + 2])
        if abs(values[i + 3]) > d:
            d = abs(values[i + 3])
    for i in range(count - count % 4, count):
        if abs(values[i]) > a:
            a = abs(values[i])
    if b > a:
        a = b
    if d > c:
        c = d
    if c > a:
        a = c
    return a


def measure_error(
    residuals: Reals, equal_count: int, unequal: HardTable, unequal_count: int,
    gradient: Reals, slope: Reals, size: int, y: Reals, active: Ints,
) -> float:  # fmt: skip
    """Return the error of the KKT equations: infinite or NaN where a number is."""
    total = sum_up(slope, size) + sum_up(residuals, equal_count) + sum_up(unequal.residuals, unequal_count)
    if not abs(total) < HUGE:
        return abs(total)
    scale = find_largest(y, equal_count, find_largest(gradient, size, 1.0))
    steepest = find_largest(slope, size, 0.0)
    broken = find_largest(residuals, equal_count, 0.0)
    for i in range(unequal_count):
        left = unequal.residuals[i]
        if active[i] != 0:
            left = abs(left)
        if left > broken:
            broken = left
    if steepest > scale * broken:
        return steepest / scale
    return broken


def write_right(
    residuals: Reals, equal_count: int, unequal: HardTable, unequal_count: int,
    slope: Reals, size: int, z: Reals, active: Ints, stiffness: Reals, pull: Reals, right: Reals,
) -> None:  # fmt: skip
    """Write the right side of a step, and what multipliers are before it where rows are active."""
    for i in range(size):
        right[i] = -slope[i]
    for i in range(equal_count):
        right[size + i] = -residuals[i]
    for i in range(unequal_count):
        more = -z[i]
        if active[i] != 0:
            more = stiffness[i] * unequal.residuals[i]
        pull[i] = more + z[i]
        if more != 0.0:
            for e in range(unequal.firsts[i], unequal.firsts[i + 1]):
                entry = unequal.entries[e]
                column = unequal.columns[entry]
                right[column] = right[column] - unequal.values[entry] * more


def write_multipliers(
    unequal: HardTable, count: int,
    step: Reals, active: Ints, stiffness: Reals, pull: Reals, z: Reals, negative: float,
) -> None:  # fmt: skip
    """Write the multipliers of inequalities after a step; zero where they are below -`negative`."""
    for i in range(count):
        z[i] = 0.0
        if active[i] != 0:
            moved = 0.0
            for e in range(unequal.firsts[i], unequal.firsts[i + 1]):
                entry = unequal.entries[e]
                moved = moved + unequal.values[entry] * step[unequal.columns[entry]]
            z[i] = pull[i] + stiffness[i] * moved
            if z[i] < -negative:
                z[i] = 0.0


def measure_step(step: Reals, sizes: Reals, size: int) -> float:
    """Return the largest part of its size by which a direction moves."""
    most = 0.0
    for i in range(size):
        if abs(step[i]) > most * sizes[i]:
            most = abs(step[i]) / sizes[i]
    return most


@cache
def compile_active_set() -> Kernels:
    """Return the machine code."""
    return compile_kernels(
        (
            choose_active,
            add_products,
            write_slope,
            sum_up,
            find_largest,
            measure_error,
            write_right,
            write_multipliers,
            measure_step,
        )
    )
