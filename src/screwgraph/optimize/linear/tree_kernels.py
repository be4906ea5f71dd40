"""Systems with hard rows on a tree, as machine code: regularised, factored and judged at once, solved and measured."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any

from screwgraph.compiler.kernels import Bundle, Ints, Reals, compile_kernels, tail
from screwgraph.optimize.fronts.packed_cliques import PACKED, PackedTables, factor_cliques, solve_packed
from screwgraph.optimize.linear.lone_unknowns import LoneUnknowns
from screwgraph.optimize.linear.regularise import REGULARISED, DiagonalEntries, regularise_diagonal
from screwgraph.optimize.linear.symmetric_products import SYMMETRIC, SymmetricRuns, measure_residual

SMALL = -2
"""Minus the number of the first direction whose pivot is small beside its scale."""


class TreeMemory(Bundle):
    """Numbers of a factored matrix: factors, hard rows, what is added to the diagonal, scales.

    Of a row a'x + s y with a lone unknown y, and -d and h on the diagonals of its multiplier and of y: `weights` h / D,
    `shares` s / D, `slacks` d / D, D = s^2 + d h. Of other rows, 1 / d, 0 and 1.
    """

    columns: Reals
    rests: Reals
    pivots: Reals
    weights: Reals
    shares: Reals
    slacks: Reals
    diagonal: Reals
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
    memory: TreeMemory, own: DiagonalEntries, own_count: int, lone: LoneUnknowns, values: Reals, slopes: Reals,
    primal: int, rows: int,
) -> int:  # fmt: skip
    """Write what hard rows weigh; return -1, or the lone unknown whose pivot h + s^2 / d is not positive."""
    for i in range(primal + rows):
        memory.buffer[i] = memory.diagonal[i]
    for e in range(own_count):
        i = own.at[e]
        memory.buffer[i] = memory.buffer[i] + values[own.entries[e]]
    for row in range(rows):
        d = -memory.buffer[primal + row]
        y = lone.unknowns[row]
        if y < 0:
            memory.weights[row] = 1.0 / d
            memory.shares[row] = 0.0
            memory.slacks[row] = 1.0
            continue
        h = memory.buffer[y]
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


def factor_changed(
    values: Reals,
    slopes: Reals,
    tree: PackedTables,
    memory: TreeMemory,
    own: DiagonalEntries,
    own_count: int,
    lone: LoneUnknowns,
    count: int,
    primal: int,
    rows: int,
    tiny: float,
    smallest: float,
) -> int:
    """Factor cliques that have changed; return -1, the direction where that ends, or `SMALL` less that of a pivot."""
    bad = weigh_rows(memory, own, own_count, lone, values, slopes, primal, rows)
    if bad >= 0:
        return bad
    bad = factor_cliques(
        tree, count, values, memory.diagonal, slopes, memory.weights, memory.changed,
        memory.columns, memory.rests, memory.pivots, tiny,
    )  # fmt: skip
    if bad >= 0:
        return bad
    for i in range(primal):
        if not memory.pivots[i] * memory.pivots[i] > smallest * memory.scales[i]:
            return SMALL - i
    return -1


def factor_hard(
    values: Reals,
    added: Reals,
    slopes: Reals,
    multipliers: float,
    tree: PackedTables,
    memory: TreeMemory,
    own: DiagonalEntries,
    own_count: int,
    lone: LoneUnknowns,
    count: int,
    primal: int,
    rows: int,
    tiny: float,
    smallest: float,
) -> int:
    """Regularise and factor all cliques; results are those of `factor_changed`."""
    regularise_diagonal(
        values, added, own, own_count, slopes, tree.row_firsts, tree.row_columns,
        rows, multipliers, 1, memory.buffer, memory.diagonal, memory.scales, primal,
    )  # fmt: skip
    for c in range(count):
        memory.changed[c] = 1
    return factor_changed(
        values, slopes, tree, memory, own, own_count, lone, count, primal, rows, tiny, smallest
    )  # fmt: skip


def find_moved(memory: TreeMemory, lone: LoneUnknowns, x: Reals, primal: int, row: int) -> float:
    """Return what a row adds to a right side, times its slopes."""
    y = lone.unknowns[row]
    moved = x[primal + row] * memory.weights[row]
    if y >= 0:
        moved = moved - memory.shares[row] * x[y]
    return moved


def add_row(
    tree: PackedTables, lone: LoneUnknowns, slopes: Reals, x: Reals, row: int, skipped: int, moved: float
) -> None:  # fmt: skip
    """Add a row to a right side, but for its first columns; a lone unknown stays."""
    y = lone.unknowns[row]
    kept = 0.0
    if y >= 0:
        kept = x[y]
    for a in range(tree.row_firsts[row] + skipped, tree.row_firsts[row + 1]):
        column = tree.row_columns[a]
        x[column] = x[column] + moved * slopes[a]
    if y >= 0:
        x[y] = kept


def add_rows_to_right(
    tree: PackedTables, memory: TreeMemory, lone: LoneUnknowns, slopes: Reals, x: Reals, primal: int, rows: int
) -> None:  # fmt: skip
    """Condense all rows into a right side."""
    row = 0
    while row < rows:
        n = tree.row_shared[row]
        p = find_moved(memory, lone, x, primal, row)
        if n == 0:
            add_row(tree, lone, slopes, x, row, 0, p)
            row = row + 1
            continue
        q = find_moved(memory, lone, x, primal, row + 1)
        r = find_moved(memory, lone, x, primal, row + 2)
        s = find_moved(memory, lone, x, primal, row + 3)
        a = tail(slopes, tree.row_firsts[row])
        b = tail(slopes, tree.row_firsts[row + 1])
        c = tail(slopes, tree.row_firsts[row + 2])
        d = tail(slopes, tree.row_firsts[row + 3])
        columns = tail(tree.row_columns, tree.row_firsts[row])
        for k in range(n):
            i = columns[k]
            x[i] = x[i] + ((p * a[k] + q * b[k]) + (r * c[k] + s * d[k]))
        add_row(tree, lone, slopes, x, row, n, p)
        add_row(tree, lone, slopes, x, row + 1, n, q)
        add_row(tree, lone, slopes, x, row + 2, n, r)
        add_row(tree, lone, slopes, x, row + 3, n, s)
        row = row + 4


def solve_row(
    tree: PackedTables, memory: TreeMemory, lone: LoneUnknowns, slopes: Reals, x: Reals, primal: int,
    row: int, skipped: int, product: float,
) -> None:  # fmt: skip
    """Write the multiplier of a row, whose first columns have that product with x, and its lone unknown."""
    y = lone.unknowns[row]
    kept = 0.0
    if y >= 0:
        kept = x[y]
        x[y] = 0.0
    left = product - x[primal + row]
    for a in range(tree.row_firsts[row] + skipped, tree.row_firsts[row + 1]):
        left = left + slopes[a] * x[tree.row_columns[a]]
    x[primal + row] = left * memory.weights[row] + memory.shares[row] * kept
    if y >= 0:
        x[y] = memory.slacks[row] * kept - memory.shares[row] * left


def solve_rows(
    tree: PackedTables, memory: TreeMemory, lone: LoneUnknowns, slopes: Reals, x: Reals, primal: int, rows: int
) -> None:  # fmt: skip
    """Write the multipliers of all rows, the others being known."""
    row = 0
    while row < rows:
        n = tree.row_shared[row]
        if n == 0:
            solve_row(tree, memory, lone, slopes, x, primal, row, 0, 0.0)
            row = row + 1
            continue
        a = tail(slopes, tree.row_firsts[row])
        b = tail(slopes, tree.row_firsts[row + 1])
        c = tail(slopes, tree.row_firsts[row + 2])
        d = tail(slopes, tree.row_firsts[row + 3])
        columns = tail(tree.row_columns, tree.row_firsts[row])
        p = 0.0
        q = 0.0
        r = 0.0
        s = 0.0
        for k in range(n):
            y = x[columns[k]]
            p = p + a[k] * y
            q = q + b[k] * y
            r = r + c[k] * y
            s = s + d[k] * y
        solve_row(tree, memory, lone, slopes, x, primal, row, n, p)
        solve_row(tree, memory, lone, slopes, x, primal, row + 1, n, q)
        solve_row(tree, memory, lone, slopes, x, primal, row + 2, n, r)
        solve_row(tree, memory, lone, slopes, x, primal, row + 3, n, s)
        row = row + 4


def solve_hard(
    slopes: Reals,
    right: Reals,
    x: Reals,
    values: Reals,
    diagonal: Reals,
    is_measured: int,
    tree: PackedTables,
    memory: TreeMemory,
    lone: LoneUnknowns,
    count: int,
    runs: SymmetricRuns,
    run_count: int,
    primal: int,
    n: int,
) -> float:
    """Write x that solves the factored equations; if asked, return how large b - K x is beside b, else 0.

    The right side may stand in x.
    """
    for i in range(n):
        x[i] = right[i]
    add_rows_to_right(tree, memory, lone, slopes, x, primal, n - primal)
    solve_packed(tree, count, memory.columns, x)
    solve_rows(tree, memory, lone, slopes, x, primal, n - primal)
    if is_measured == 0:
        return 0.0
    return measure_residual(right, memory.buffer, x, diagonal, values, runs, run_count, primal, n)


@cache
def compile_tree_code() -> Any:
    """Return the machine code of all such systems."""
    own = (weigh_rows, factor_changed, factor_hard, find_moved, add_row, add_rows_to_right, solve_row, solve_rows)
    return compile_kernels((*PACKED, *REGULARISED, *SYMMETRIC, *own, solve_hard)).functions
