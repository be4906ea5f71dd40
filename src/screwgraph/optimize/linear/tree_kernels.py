"""Systems with hard rows on a tree, as machine code: regularised, factored and judged at once, solved and measured."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any

from screwgraph.compiler.kernels import Bundle, Ints, Reals, compile_kernels, tail
from screwgraph.optimize.fronts.packed_cliques import PACKED, PackedTables, factor_cliques, solve_packed
from screwgraph.optimize.linear.lone_unknowns import LoneUnknowns
from screwgraph.optimize.linear.regularise import REGULARISED, regularise_diagonal
from screwgraph.optimize.linear.row_products import ROW_PRODUCTS, RowPlaces, add_columns, multiply_rows
from screwgraph.optimize.linear.symmetric_products import (
    SYMMETRIC,
    DiagonalEntries,
    SymmetricRuns,
    add_runs,
    compare_products,
    sum_diagonal,
)

SMALL = -2
"""Minus the number of the first direction whose pivot is small beside its scale."""


class TreeMemory(Bundle):
    """Numbers of a factored matrix: factors, hard rows, sums on the diagonal and what is added to these, scales.

    Of a row a'x + s y with a lone unknown y, and -d and h on the diagonals of its multiplier and of y: `weights` h / D,
    `shares` s / D, `slacks` d / D, D = s^2 + d h. Of other rows, 1 / d, 0 and 1. `lone_right` is what
    stands beside y on the right.
    """

    columns: Reals
    rests: Reals
    pivots: Reals
    weights: Reals
    shares: Reals
    slacks: Reals
    lone_right: Reals
    added: Reals
    sums: Reals
    shifts: Reals
    scales: Reals
    buffer: Reals
    changed: Ints

    def __init__(self, tree: PackedTables, **arrays: Any) -> None:
        super().__init__(**arrays)
        self._tree = tree

    @property
    def known(self) -> tuple[int, ...]:
        """Addresses of the tree's arrays and its own."""
        return (*self._tree.addresses, *self.addresses)


def weigh_rows(
    memory: TreeMemory, lone: LoneUnknowns, slopes: Reals, primal: int, rows: int
) -> int:  # fmt: skip
    """Write what hard rows weigh; return -1, or the lone unknown whose pivot h + s^2 / d is not positive."""
    for row in range(rows):
        d = -memory.sums[primal + row] - memory.shifts[primal + row]
        y = lone.unknowns[row]
        if y < 0:
            memory.weights[row] = 1.0 / d
            memory.shares[row] = 0.0
            memory.slacks[row] = 1.0
            continue
        h = memory.sums[y]
        s = slopes[lone.entries[row]]
        pivot = h + s * s / d
        memory.pivots[y] = pivot
        if not pivot > 0.0:
            return y
        memory.pivots[y] = sqrt(pivot)
        part = 1.0 / (d * pivot)
        memory.weights[row] = h * part
        memory.shares[row] = s * part
        memory.slacks[row] = d * part
    return -1


def factor_weighed(
    memory: TreeMemory, lone: LoneUnknowns, tree: PackedTables, values: Reals, slopes: Reals,
    count: int, primal: int, rows: int, tiny: float, smallest: float,
) -> int:  # fmt: skip
    """Weigh rows and factor cliques that have changed; results are those of `factor_changed`."""
    bad = weigh_rows(memory, lone, slopes, primal, rows)
    if bad >= 0:
        return bad
    bad = factor_cliques(
        tree, count, values, memory.added, slopes, memory.weights, memory.changed,
        memory.columns, memory.rests, memory.pivots, tiny,
    )  # fmt: skip
    if bad >= 0:
        return bad
    for i in range(primal):
        if not memory.pivots[i] * memory.pivots[i] > smallest * memory.scales[i]:
            return SMALL - i
    return -1


def factor_changed(
    values: Reals, slopes: Reals, tree: PackedTables, memory: TreeMemory, own: DiagonalEntries, own_count: int,
    lone: LoneUnknowns, count: int, primal: int, rows: int, tiny: float, smallest: float,
) -> int:  # fmt: skip
    """Factor cliques that have changed; return -1, the direction where that ends, or `SMALL` less that of a pivot."""
    sum_diagonal(memory.sums, memory.added, values, own, own_count, primal + rows)
    return factor_weighed(memory, lone, tree, values, slopes, count, primal, rows, tiny, smallest)


def factor_hard(
    values: Reals, added: Reals, slopes: Reals, multipliers: float, places: RowPlaces, tree: PackedTables,
    memory: TreeMemory, own: DiagonalEntries, own_count: int, lone: LoneUnknowns,
    count: int, primal: int, rows: int, tiny: float, smallest: float,
) -> int:  # fmt: skip
    """Regularise and factor all cliques; results are those of `factor_changed`."""
    n = primal + rows
    for i in range(n):
        memory.added[i] = added[i]
    sum_diagonal(memory.sums, added, values, own, own_count, n)
    regularise_diagonal(
        memory.sums, slopes, places, rows, multipliers, 1, memory.buffer, memory.shifts, memory.scales, primal
    )
    for c in range(count):
        memory.changed[c] = 1
    return factor_weighed(memory, lone, tree, values, slopes, count, primal, rows, tiny, smallest)


def add_rows_to_right(
    memory: TreeMemory, lone: LoneUnknowns, places: RowPlaces, slopes: Reals, x: Reals, primal: int, rows: int
) -> None:
    """Condense all rows into a right side; lone unknowns stay."""
    moved = tail(memory.buffer, primal)
    for row in range(rows):
        y = lone.unknowns[row]
        own = 0.0
        if y >= 0:
            own = x[y]
        memory.lone_right[row] = own
        moved[row] = x[primal + row] * memory.weights[row] - memory.shares[row] * own
    add_columns(x, moved, slopes, places, rows)
    for row in range(rows):
        y = lone.unknowns[row]
        if y >= 0:
            x[y] = 0.0


def solve_rows(
    memory: TreeMemory, lone: LoneUnknowns, places: RowPlaces, slopes: Reals, x: Reals, primal: int, rows: int
) -> None:
    """Write the multipliers of all rows, and lone unknowns, which are zero, the others being known.

    The memory's buffer gets the products of rows with x.
    """
    products = tail(memory.buffer, primal)
    multiply_rows(products, x, slopes, places, rows)
    for row in range(rows):
        left = products[row] - x[primal + row]
        own = memory.lone_right[row]
        x[primal + row] = left * memory.weights[row] + memory.shares[row] * own
        y = lone.unknowns[row]
        if y >= 0:
            x[y] = memory.slacks[row] * own - memory.shares[row] * left
            products[row] = products[row] + slopes[lone.entries[row]] * x[y]


def solve_hard(
    slopes: Reals,
    right: Reals,
    x: Reals,
    values: Reals,
    is_measured: int,
    tree: PackedTables,
    memory: TreeMemory,
    lone: LoneUnknowns,
    places: RowPlaces,
    count: int,
    runs: SymmetricRuns,
    run_count: int,
    primal: int,
    rows: int,
) -> float:
    """Write x that solves the factored equations; if asked, return how large b - K x is beside b, else 0.

    The right side may stand in x. `runs` are those of H.
    """
    n = primal + rows
    for i in range(n):
        x[i] = right[i]
    add_rows_to_right(memory, lone, places, slopes, x, primal, rows)
    solve_packed(tree, count, memory.columns, x)
    solve_rows(memory, lone, places, slopes, x, primal, rows)
    if is_measured == 0:
        return 0.0
    for i in range(primal):
        memory.buffer[i] = memory.sums[i] * x[i]
    for i in range(primal, n):
        memory.buffer[i] = memory.buffer[i] + memory.sums[i] * x[i]
    add_runs(memory.buffer, x, values, runs, run_count)
    add_columns(memory.buffer, tail(x, primal), slopes, places, rows)
    return compare_products(right, memory.buffer, primal, n)


@cache
def compile_tree_code() -> Any:
    """Return the machine code of all such systems."""
    own = (weigh_rows, factor_weighed, factor_changed, factor_hard, add_rows_to_right, solve_rows, solve_hard)
    return compile_kernels((*PACKED, *REGULARISED, *ROW_PRODUCTS, *SYMMETRIC, *own)).functions
