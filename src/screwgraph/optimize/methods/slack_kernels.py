"""Slacks s and multipliers z of inequalities in an interior point's steps, as machine code; see `compiler.kernels`.

Arrays have one number for each of `count` inequalities, but for unknowns, and for entries of their slopes G, which
stand in groups: see `row_groups.py`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float
from numpy import maximum, minimum

from screwgraph.compiler.kernels import Reals, compile_kernels, fix_arguments, new_arrays
from screwgraph.optimize.linear.row_groups import GROUPED, GroupTables, add_groups, multiply_groups
from screwgraph.optimize.linear.row_products import ROW_PRODUCTS, RowPlaces, add_columns

SPREAD = 1e10
"""A multiplier may differ from barrier / slack by this factor."""


def write_right(
    s: Reals, z: Reals, r: Reals, other_s: Reals, other_z: Reals, barrier: float, bend: float,
    products: Reals, c: Reals, pulls: Reals,
    right: Reals, gradient: Reals, G: Reals, groups: GroupTables, group_count: int, n: int, rows: int, count: int,
) -> None:  # fmt: skip
    """Write the right side of a step: minus the gradient of the Lagrangian (`products` are A'y) with pulls, minus c.

    Pulls are what multipliers are before a step. Slacks take residuals r away, and products become the barrier less
    `bend` times those of other changes.
    """
    for i in range(count):
        pulls[i] = (barrier - bend * other_s[i] * other_z[i] + z[i] * r[i]) / s[i]
    for i in range(n):
        right[i] = gradient[i] + products[i]
    add_groups(right, pulls, G, groups, group_count)
    for i in range(n):
        right[i] = -right[i]
    for i in range(rows):
        right[n + i] = -c[i]


def write_changes(
    s: Reals, z: Reals, r: Reals, other_s: Reals, other_z: Reals, barrier: float, bend: float,
    d: Reals, ds: Reals, dz: Reals,
    found: Reals, gradient: Reals, G: Reals, groups: GroupTables, group_count: int, n: int, count: int,
) -> None:  # fmt: skip
    """Write changes of both where unknowns change by d; the least parts of each, and the sum of those of slacks.

    Then the largest change of an unknown, no number where one is none, and how the cost changes with them. Other
    arguments are those of `write_right`.
    """
    multiply_groups(ds, d, G, groups, group_count)
    largest = 0.0
    slope = 0.0
    for i in range(n):
        largest = maximum(largest, abs(d[i]))
        slope = slope + gradient[i] * d[i]
    total = 0.0
    least_s = 0.0
    least_z = 0.0
    for i in range(count):
        ds[i] = -r[i] - ds[i]
        inverse = 1.0 / (s[i] * z[i])  # one division for both
        part = ds[i] * z[i] * inverse
        change = (barrier - bend * other_s[i] * other_z[i] - z[i] * ds[i]) * inverse - 1.0
        dz[i] = change * z[i]
        total = total + part
        least_s = minimum(least_s, part)
        least_z = minimum(least_z, change)
    found[0] = least_s
    found[1] = least_z
    found[2] = total
    found[3] = largest
    found[4] = slope


def measure_rows(
    s: Reals, z: Reals, g: Reals, slope: Reals, G: Reals, groups: GroupTables, group_count: int,
    r: Reals, ratios: Reals, found: Reals, count: int,
) -> None:  # fmt: skip
    """Add G'z to a slope; write r = g + s and z / s; the largest |r|, the least and the largest product of s and z.

    And the sum of these products.
    """
    add_groups(slope, z, G, groups, group_count)
    residual = 0.0
    low = s[0] * z[0]
    high = low
    total = 0.0
    for i in range(count):
        r[i] = g[i] + s[i]
        ratios[i] = z[i] / s[i]
        residual = maximum(residual, abs(g[i] + s[i]))
        product = s[i] * z[i]
        total = total + product
        low = minimum(low, product)
        high = maximum(high, product)
    found[0] = residual
    found[1] = low
    found[2] = high
    found[3] = total


def measure_errors(
    s: Reals, z: Reals, y: Reals, products: Reals, r: Reals, ratios: Reals, slope: Reals, found: Reals,
    gradient: Reals, c: Reals, g: Reals, A: Reals, A_rows: RowPlaces,
    G: Reals, groups: GroupTables, group_count: int, n: int, rows: int, count: int,
) -> None:  # fmt: skip
    """Write A'y and the Lagrangian's gradient, and what `measure_rows` does, with residuals of all rows.

    Then the largest of that gradient, of the cost's gradient, of y. Largest ones are no numbers where an entry is none.
    """
    for i in range(n):
        products[i] = 0.0
    add_columns(products, y, A, A_rows, rows)
    steepest = 0.0
    for i in range(n):
        slope[i] = gradient[i] + products[i]
        steepest = maximum(steepest, abs(gradient[i]))
    found[0] = 0.0
    if count > 0:
        measure_rows(s, z, g, slope, G, groups, group_count, r, ratios, found, count)
    residual = found[0]
    dual = 0.0
    for i in range(rows):
        residual = maximum(residual, abs(c[i]))
        dual = maximum(dual, abs(y[i]))
    found[0] = residual
    stationary = 0.0
    for i in range(n):
        stationary = maximum(stationary, abs(slope[i]))
    found[4] = stationary
    found[5] = steepest
    found[6] = dual


def multiply_ahead(s: Reals, z: Reals, ds: Reals, dz: Reals, slacks: float, duals: float, count: int) -> float:
    """Return the sum of the products of both after parts of their changes."""
    total = 0.0
    for i in range(count):
        total = total + (s[i] + slacks * ds[i]) * (z[i] + duals * dz[i])
    return total


def move_point(
    s: Reals, z: Reals, ds: Reals, dz: Reals, y: Reals, dy: Reals, x: Reals, dx: Reals, length: float, duals: float,
    to: Reals, to_z: Reals, to_y: Reals, to_x: Reals, n: int, rows: int, count: int,
) -> None:  # fmt: skip
    """Write all after parts of their changes; of multipliers z such a part of their own."""
    for i in range(count):
        to[i] = s[i] + length * ds[i]
        to_z[i] = z[i] + duals * dz[i]
    for i in range(rows):
        to_y[i] = y[i] + length * dy[i]
    for i in range(n):
        to_x[i] = x[i] + length * dx[i]


def bound_point(
    s: Reals, z: Reals, g: Reals, c: Reals, to: Reals, barrier: float, parts: Reals,
    spread: float, rows: int, count: int,
) -> float:  # fmt: skip
    """Write slacks that are not smaller than they can be, and products of eight; return the sum of |c| and |g + s|.

    Multipliers are brought, in their places, within a factor of barrier / slack.
    """
    least = barrier / spread
    most = barrier * spread
    total = 0.0
    for i in range(count):
        x = s[i]
        if -g[i] > x:
            x = -g[i]
        to[i] = x
        total = total + abs(g[i] + x)
        inverse = 1.0 / x
        y = z[i]
        if y < least * inverse:
            y = least * inverse
        if y > most * inverse:
            y = most * inverse
        z[i] = y
    for i in range(rows):
        total = total + abs(c[i])
    q = count // 8
    for i in range(q):
        low = to[i] * to[i + q] * (to[i + 2 * q] * to[i + 3 * q])
        parts[i] = low * (to[i + 4 * q] * to[i + 5 * q] * (to[i + 6 * q] * to[i + 7 * q]))
    rest = 1.0
    for i in range(8 * q, count):
        rest = rest * to[i]
    parts[q] = rest
    return total


KERNELS = (
    *GROUPED,
    *ROW_PRODUCTS,
    write_right,
    write_changes,
    measure_rows,
    measure_errors,
    multiply_ahead,
    move_point,
    bound_point,
)


@cache
def compile_slacks() -> Any:
    """Return the machine code."""
    return compile_kernels(KERNELS).functions


class SlackCalls(NamedTuple):
    """Kernels of these on one problem's slopes, whose last arguments are fixed.

    Others are addresses of contiguous arrays, and numbers. Each call writes to the same `right`, `parts` and `found`.
    """

    right: Float[np.ndarray, " n_m"]
    parts: Float[np.ndarray, " p"]
    found: Float[np.ndarray, "7"]

    write_right: Callable[..., None]
    write_changes: Callable[..., None]
    measure_errors: Callable[..., None]
    multiply_ahead: Callable[..., float]
    move_point: Callable[..., None]
    bound_point: Callable[..., float]
    square_groups: Callable[..., None]


def bind_slacks(
    addresses: Sequence[int], equal: Sequence[int], unequal: Sequence[int], sizes: tuple[int, int, int, int]
) -> SlackCalls:
    """Return the calls for a gradient of costs, c, g, A, G at these addresses.

    Args:
        addresses: those of the arrays.
        equal: the addresses of places of A.
        unequal: those of the tables of G, and the number of groups.
        sizes: how many unknowns, equalities, inequalities and entries of G'WG there are.
    """
    (gradient, c, g, A, G), (n, rows, count, squares), functions = addresses, sizes, compile_slacks()
    (right, parts, found, _), (right_at, parts_at, found_at, slope_at) = new_arrays(n + rows, count // 8 + 1, 7, n)
    last = {
        "write_right": (right_at, gradient, G, *unequal, n, rows, count),
        "write_changes": (found_at, gradient, G, *unequal, n, count),
        "measure_errors": (slope_at, found_at, gradient, c, g, A, *equal, G, *unequal, n, rows, count),
        "multiply_ahead": (count,),
        "move_point": (rows, count),
        "bound_point": (parts_at, SPREAD, rows, count),
        "square_groups": (G, *unequal, squares),
    }
    return SlackCalls(right, parts, found, **{name: fix_arguments(functions[name], *own) for name, own in last.items()})


def sum_logarithms(s: Float[np.ndarray, " k"]) -> float:
    """Return the sum of the logarithms of slacks, those of four products at once."""
    quarter = len(s) // 4
    parts = [s[i * quarter : (i + 1) * quarter] for i in range(4)]
    return float(np.log(parts[0] * parts[1] * (parts[2] * parts[3])).sum() + np.log(s[4 * quarter :]).sum())
