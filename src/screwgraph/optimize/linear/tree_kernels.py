"""Systems with hard rows on a tree, as machine code: regularised, factored and judged at once, solved and measured."""

from __future__ import annotations

from functools import cache
from math import sqrt
from typing import Any

from screwgraph.compiler.kernels import Bundle, Ints, Reals, compile_kernels
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


def solve_with_rows(
    tree: PackedTables, memory: TreeMemory, lone: LoneUnknowns, count: int, slopes: Reals, x: Reals,
    primal: int, rows: int,
) -> None:  # fmt: skip
    """Solve [[H, A'], [A, -D]] x = right in place."""
    for row in range(rows):
        moved = x[primal + row] * memory.weights[row]
        y = lone.unknowns[row]
        kept = 0.0
        if y >= 0:
            kept = x[y]
            moved = moved - memory.shares[row] * kept
        for a in range(tree.row_firsts[row], tree.row_firsts[row + 1]):
            column = tree.row_columns[a]
            x[column] = x[column] + moved * slopes[a]
        if y >= 0:
            x[y] = kept  # which no other row has
    solve_packed(tree, count, memory.columns, x)
    for row in range(rows):
        y = lone.unknowns[row]
        kept = 0.0
        if y >= 0:
            kept = x[y]
            x[y] = 0.0
        left = -x[primal + row]
        for a in range(tree.row_firsts[row], tree.row_firsts[row + 1]):
            left = left + slopes[a] * x[tree.row_columns[a]]
        x[primal + row] = left * memory.weights[row] + memory.shares[row] * kept
        if y >= 0:
            x[y] = memory.slacks[row] * kept - memory.shares[row] * left


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
    solve_with_rows(tree, memory, lone, count, slopes, x, primal, n - primal)
    if is_measured == 0:
        return 0.0
    return measure_residual(right, memory.buffer, x, diagonal, values, runs, run_count, primal, n)


@cache
def compile_tree_code() -> Any:
    """Return the machine code of all such systems."""
    own = (weigh_rows, factor_changed, factor_hard, solve_with_rows, solve_hard)
    return compile_kernels((*PACKED, *REGULARISED, *SYMMETRIC, *own)).functions
