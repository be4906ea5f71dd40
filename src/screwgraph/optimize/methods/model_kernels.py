"""What factors have written becomes a problem's model, as machine code: scaled residuals and slopes, sums of costs."""

from __future__ import annotations

from functools import cache
from typing import Any

from numpy import maximum

from screwgraph.compiler.kernels import Bundle, Ints, Reals, compile_kernels


class RowNumbers(Bundle):
    """Residuals of hard factors, what becomes of them, and entries of slopes; scales of rows and of slopes.

    `sizes` count residuals and slopes, and tell (1, else 0) whether there are scales of each.
    """

    residuals: Reals
    scaled: Reals
    slopes: Reals
    scales: Reals
    slope_scales: Reals
    sizes: Ints


class CostNumbers(Bundle):
    """Costs of soft factors, parts of their gradients and where these go, the gradient, entries of J'J, units.

    `sizes` count costs, parts, directions and entries, and tell (1, else 0) whether there are units.
    """

    costs: Reals
    parts: Reals
    targets: Ints
    gradient: Reals
    entries: Reals
    units: Reals
    products: Reals
    sizes: Ints


def finish_rows(rows: RowNumbers, relaxed: float, is_equal: int) -> float:
    """Write residuals, less than they are by so much, and slopes times their scales; return the largest residual.

    That is no number where one is none. Of equalities it is the largest magnitude.
    """
    largest = 0.0
    count = rows.sizes[0]
    for i in range(count):
        rows.scaled[i] = rows.residuals[i] - relaxed
        largest = maximum(largest, rows.residuals[i])
    if is_equal != 0:
        for i in range(count):
            largest = maximum(largest, -rows.residuals[i])
    if rows.sizes[2] != 0:
        for i in range(count):
            rows.scaled[i] = rows.scaled[i] * rows.scales[i]
    if rows.sizes[3] != 0:
        for e in range(rows.sizes[1]):
            rows.slopes[e] = rows.slopes[e] * rows.slope_scales[e]
    return largest


def finish_costs(cost: CostNumbers, part: float) -> float:
    """Write the gradient and entries of J'J of such a part of the costs, in units; return that part of their sum."""
    total = 0.0
    for i in range(cost.sizes[0]):
        total = total + cost.costs[i]
    n = cost.sizes[2]
    count = cost.sizes[3]
    for i in range(n):
        cost.gradient[i] = 0.0
    for e in range(cost.sizes[1]):
        cost.gradient[cost.targets[e]] = cost.gradient[cost.targets[e]] + cost.parts[e]
    if part != 1.0:
        for i in range(n):
            cost.gradient[i] = cost.gradient[i] * part
        for e in range(count):
            cost.entries[e] = cost.entries[e] * part
    if cost.sizes[4] != 0:
        for i in range(n):
            cost.gradient[i] = cost.gradient[i] * cost.units[i]
        for e in range(count):
            cost.entries[e] = cost.entries[e] * cost.products[e]
    return total * part


def finish_model(
    equal: RowNumbers, unequal: RowNumbers, cost: CostNumbers, relaxed: float, part: float, found: Reals
) -> None:
    """Finish rows and costs; write the cost, and the largest residual that should vanish or not be positive."""
    broken = finish_rows(equal, 0.0, 1)
    other = finish_rows(unequal, relaxed, 0)
    found[0] = finish_costs(cost, part)
    found[1] = maximum(broken, other)


@cache
def compile_model_code() -> Any:
    """Return the machine code."""
    return compile_kernels((finish_rows, finish_costs, finish_model)).functions
