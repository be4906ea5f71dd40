"""Systems with hard rows on a tree, as machine code: regularised, factored and judged at once, solved and measured."""

from __future__ import annotations

from functools import cache, cached_property
from typing import Any

from screwgraph.compiler.kernels import Bundle, Ints, Reals, compile_kernels, tail
from screwgraph.optimize.fronts.packed_cliques import PACKED, PackedTables, factor_cliques, solve_with_rows
from screwgraph.optimize.linear.regularise import REGULARISED, DiagonalEntries, regularise_diagonal
from screwgraph.optimize.linear.symmetric_products import SYMMETRIC, SymmetricRuns, measure_residual

SMALL = -2
"""Minus the number of the first direction whose pivot is small beside its scale."""


class TreeMemory(Bundle):
    """Numbers of a factored matrix: factors, D^-1 as weights of hard rows, what is added to the diagonal, scales."""

    columns: Reals
    rests: Reals
    pivots: Reals
    weights: Reals
    diagonal: Reals
    scales: Reals
    buffer: Reals
    changed: Ints

    @cached_property
    def known(self) -> tuple[int, ...]:
        """Addresses of its arrays, which stay, as NumPy takes a microsecond for each."""
        return self.addresses


def invert_pivots(
    memory: TreeMemory, own: DiagonalEntries, own_count: int, values: Reals, primal: int, rows: int
) -> None:
    """Write D^-1, of the multipliers' diagonal -D."""
    for row in range(rows):
        memory.weights[row] = -memory.diagonal[primal + row]
    for e in range(own_count):
        if own.at[e] >= primal:
            row = own.at[e] - primal
            memory.weights[row] = memory.weights[row] - values[own.entries[e]]
    for row in range(rows):
        memory.weights[row] = 1.0 / memory.weights[row]


def factor_changed(
    tree: PackedTables,
    memory: TreeMemory,
    count: int,
    values: Reals,
    slopes: Reals,
    primal: int,
    tiny: float,
    smallest: float,
) -> int:
    """Factor cliques that have changed; return -1, the direction where that ends, or `SMALL` less that of a pivot."""
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
    tree: PackedTables,
    memory: TreeMemory,
    own: DiagonalEntries,
    own_count: int,
    count: int,
    values: Reals,
    added: Reals,
    slopes: Reals,
    primal: int,
    rows: int,
    multipliers: float,
    tiny: float,
    smallest: float,
) -> int:
    """Regularise and factor all cliques; results are those of `factor_changed`."""
    regularise_diagonal(
        values, added, own, own_count, slopes, tree.row_firsts, tree.row_columns,
        rows, multipliers, 1, memory.buffer, memory.diagonal, memory.scales, primal,
    )  # fmt: skip
    invert_pivots(memory, own, own_count, values, primal, rows)
    for c in range(count):
        memory.changed[c] = 1
    return factor_changed(tree, memory, count, values, slopes, primal, tiny, smallest)


def solve_hard(
    tree: PackedTables,
    memory: TreeMemory,
    count: int,
    slopes: Reals,
    right: Reals,
    x: Reals,
    product: Reals,
    values: Reals,
    diagonal: Reals,
    runs: SymmetricRuns,
    run_count: int,
    primal: int,
    n: int,
    is_measured: int,
) -> float:
    """Write x that solves the factored equations; if asked, return how large b - K x is beside b, else 0."""
    for i in range(n):
        x[i] = right[i]
    solve_with_rows(tree, count, memory.columns, slopes, memory.weights, n - primal, x, tail(x, primal))
    if is_measured == 0:
        return 0.0
    return measure_residual(right, product, x, diagonal, values, runs, run_count, primal, n)


@cache
def compile_tree_code() -> Any:
    """Return the machine code of all such systems."""
    kernels = (*PACKED, *REGULARISED, *SYMMETRIC, invert_pivots, factor_changed, factor_hard, solve_hard)
    return compile_kernels(kernels).functions
