"""Any pattern whose fronts stay small: Cholesky's factors of a Bayes tree; multipliers are condensed into H.

[[H, A'], [A, -D]] becomes H + A' D^-1 A, which is positive definite where H is on the hard rows. Regularised hard rows
are stiff springs then, and what that leaves refinement takes away, as in a chain whose multipliers go first. A tree
needs no panels for multipliers, and eliminates within small fronts what few factors touch: of torques and the laws of
motion, only states are left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import NamedTuple

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.compiler.kernels import address_of, fix_arguments
from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.fronts.bayes_tree import Order
from screwgraph.optimize.fronts.packed_tree import PackedTree, SparseRows
from screwgraph.optimize.linear.dense import SMALLEST
from screwgraph.optimize.linear.hard_rows import HardRows, make_hard_rows, merge_columns
from screwgraph.optimize.linear.lone_unknowns import LoneUnknowns, reduce_pattern
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.refine import ExactMatrix
from screwgraph.optimize.linear.regularise import Regulariser
from screwgraph.optimize.linear.symmetric_products import DiagonalEntries, SymmetricRuns, find_diagonal, find_runs
from screwgraph.optimize.linear.tree_kernels import SMALL, TreeMemory, compile_tree_code
from screwgraph.optimize.singular_error import SingularError

NEGATIVE = 1e-18
"""A pivot of a front, relative to its diagonal, beyond which it is compared with the scale of its unknown."""
WORTH = 1.5
"""By which factor a balanced tree takes more operations, where chains go from their ends to their middle instead.

An edit of a plan eliminates what is above it, a tenth of a balanced tree, a quarter of the other one. A Panda's 50
steps take 1.3 and 3.6 million operations: as a whole 500 and 670 us, an edit 320 and 305 us. An A1's trot takes 5.3 and
15.2 million.
"""


@dataclass(frozen=True, eq=False)
class TreeMethod:
    """Cholesky on a Bayes tree of the unknowns that are no multipliers."""

    pattern: Pattern
    tree: PackedTree
    plain: Int[np.ndarray, " e"]
    """Which values stand in H, but for those of lone unknowns."""
    rows: HardRows
    diagonal: DiagonalEntries
    """Which values stand on the diagonal, and where."""
    runs: SymmetricRuns
    """Runs of H."""
    lone: LoneUnknowns
    _free: list[TreeCalls] = field(default_factory=list)

    @property
    def operations(self) -> float:
        """Multiplications of a factorisation, those of condensed rows included; memory makes these slower."""
        return self.tree.operations + 4.0 * self.tree.products

    def factor(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], regularise: Regulariser
    ) -> TreeFactored:
        """Factor the matrix of these values, regularised; a pivot that is tiny against its scale is zero."""
        slopes, calls = self.rows.select_values(values), self._take_memory()
        to = address_of(slopes)
        bad = calls.factor_hard(address_of(values), address_of(diagonal), to, regularise.multipliers)
        return self._judge(TreeNumbers(values, slopes, to, calls), bad)

    def factor_again(
        self, last: TreeFactored, values: Float[np.ndarray, " E"], changed: Int[np.ndarray, " d"], overwrite: bool
    ) -> TreeFactored:
        """Factor the matrix of other values of H, regularised as before: only cliques of values that changed anew.

        If `overwrite`, in the memory of the last one, whose `values` these are then.
        """
        entries, rows = (found[changed] for found in self._places)
        cliques = self.tree.find_changed(entries[entries >= 0], rows[rows >= 0])
        numbers = last.numbers
        if not overwrite:
            numbers = numbers._replace(values=values, calls=self._take_memory())
            for name in TreeMemory.fields:
                getattr(numbers.calls.memory, name)[:] = getattr(last.numbers.calls.memory, name)
        numbers.calls.memory.changed[:] = cliques
        bad = numbers.calls.factor_changed(address_of(values), numbers.slopes_at)
        if not overwrite:
            return self._judge(numbers, bad)
        if bad != -1:
            raise SingularError(0, 0)
        return last

    @cached_property
    def _places(self) -> Int[np.ndarray, "2 E"]:
        """Which entry of the tree's H each value is, and the row whose weight it changes; -1 is none."""
        found = np.full((2, self.pattern.rows.size), -1)
        found[0, self.plain] = np.arange(self.plain.size)
        own, unknowns = np.flatnonzero(self.pattern.rows == self.pattern.cols), self.lone.unknowns
        row_of = np.full(self.pattern.count + 1, -1)
        row_of[unknowns] = np.where(unknowns >= 0, np.arange(len(unknowns)), -1)
        found[1, own] = row_of[self.pattern.rows[own]]
        return found

    def _take_memory(self) -> TreeCalls:
        try:
            return self._free.pop()
        except IndexError:
            return self._make_memory()

    def _make_memory(self) -> TreeCalls:
        count, rows = self.pattern.count, self.rows.matrix.count
        columns, rests = map(np.empty, self.tree.sizes[:2])
        pivots, added, sums, shifts, scales, buffer = np.empty((6, max(count, 1)))
        weights, shares, slacks, lone_right = np.empty((4, rows))
        changed = np.empty(self.tree.count, dtype=np.int64)
        memory = TreeMemory(
            self.tree.new_tables(), columns=columns, rests=rests, pivots=pivots, weights=weights, shares=shares,
            slacks=slacks, lone_right=lone_right, added=added, sums=sums, shifts=shifts, scales=scales, buffer=buffer,
            changed=changed,
        )  # fmt: skip
        primal, known = self.pattern.primal, memory.known
        own, runs = ((*a.addresses, len(a.rows)) for a in (self.diagonal, self.runs))
        lone, places = self.lone.addresses, self.rows.matrix.places.addresses
        factored = (*known, *own, *lone, self.tree.count, primal, rows, NEGATIVE, SMALLEST)
        last = {
            "factor_hard": (*places, *factored),
            "factor_changed": factored,
            "solve_hard": (*known, *lone, *places, self.tree.count, *runs, primal, rows),
        }
        functions = compile_tree_code()
        return TreeCalls(memory, **{name: fix_arguments(functions[name], *given) for name, given in last.items()})

    def leave_memory(self, calls: TreeCalls) -> None:
        """Leave memory to the next matrix."""
        self._free.append(calls)

    def _judge(self, numbers: TreeNumbers, bad: int) -> TreeFactored:
        """Return what was factored, unless a pivot is rounding, which raises SingularError."""
        memory, count = numbers.calls.memory, self.rows.matrix.count
        is_negative = bad >= 0 and self.pattern.multipliers and memory.pivots[bad] < -SMALLEST * memory.scales[bad]
        if bad != -1 and not is_negative:
            self._free.append(numbers.calls)
            bad = bad if bad >= 0 else SMALL - bad
            raise SingularError(bad, int(self.pattern.block_of[bad]))
        return TreeFactored(self, numbers, count + 1 if is_negative else count)


class TreeCalls(NamedTuple):
    """Numbers of a factored matrix, and kernels that work on them, whose last arguments are fixed."""

    memory: TreeMemory
    factor_hard: Callable[..., int]
    factor_changed: Callable[..., int]
    solve_hard: Callable[..., float]


class TreeNumbers(NamedTuple):
    """Values, those of hard rows among them and their address, and what was made of them."""

    values: Float[np.ndarray, " E"]
    slopes: Float[np.ndarray, " a"]
    slopes_at: int
    calls: TreeCalls


class TreeFactored:
    """A factored matrix, whose memory another one takes when it ends.

    `negative` is one more than the multipliers where H is not positive definite on the hard rows; nothing is solved
    then.
    """

    __slots__ = ("method", "negative", "numbers")

    def __init__(self, method: TreeMethod, numbers: TreeNumbers, negative: int) -> None:
        self.method, self.numbers, self.negative = method, numbers, negative

    def __del__(self) -> None:
        self.method.leave_memory(self.numbers.calls)

    def replace_values(self, values: Float[np.ndarray, " E"]) -> None:
        """Take a copy of the values."""
        slopes = self.method.rows.select_values(values)
        self.numbers = TreeNumbers(values, slopes, address_of(slopes), self.numbers.calls)

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        numbers, solved = self.numbers, np.array(b.T, order="C")
        for x in solved:
            at = address_of(x)
            numbers.calls.solve_hard(numbers.slopes_at, at, at, 0, 0)
        return solved.T

    def solve_measured(
        self, right: Float[np.ndarray, " n"], exact: ExactMatrix, is_measured: bool
    ) -> tuple[Float[np.ndarray, " n"], float]:
        """Return what a right side is solved to and, if asked, how large what is left is beside it; else 0."""
        numbers, x, right = self.numbers, np.empty(len(right)), np.ascontiguousarray(right)
        given = numbers.slopes_at, address_of(right), address_of(x), exact.addresses[0]
        return x, numbers.calls.solve_hard(*given, is_measured)


def make_tree_method(pattern: Pattern) -> TreeMethod:
    """Make the tree of a pattern, and look up places of entries in its fronts.

    Raises:
        InputError: multipliers are tied to each other.
    """
    primal, rows, cols = pattern.primal, pattern.rows, pattern.cols
    if is_tied(pattern):
        raise InputError(
            "no tree for this pattern", why="multipliers are tied to each other", fix="choose another method"
        )
    hard = merge_columns(make_hard_rows(pattern))
    reduced = reduce_pattern(pattern, hard)
    tree, balanced = (_order_blocks(reduced.pattern, order) for order in ("from_ends", "balanced"))
    if tree.operations * WORTH > balanced.operations:
        tree = balanced
    plain = np.flatnonzero((rows < primal) & reduced.is_kept[rows] & reduced.is_kept[cols])
    sparse = SparseRows(hard.matrix.columns, hard.matrix.firsts)
    packed = PackedTree(tree, plain, rows[plain], cols[plain], sparse, np.flatnonzero(reduced.is_kept[:primal]))
    runs = find_runs(rows, cols, (rows < primal) & (rows != cols))
    return TreeMethod(pattern, packed, plain, hard, find_diagonal(pattern), runs, reduced.lone)


def _order_blocks(pattern: Pattern, order: Order) -> BayesTree:
    """Return the cliques of a pattern."""
    tree = BayesTree(pattern.sizes[: pattern.sizes.size - pattern.multipliers], order)
    for joined in _find_factors(pattern):
        tree.add(joined, 0, 0)
    tree.prepare()
    return tree


def is_tied(pattern: Pattern) -> bool:
    """Whether multipliers are tied to each other."""
    return bool(((pattern.cols >= pattern.primal) & (pattern.rows != pattern.cols)).any())


def _find_factors(pattern: Pattern) -> Iterator[Int[np.ndarray, "N a"]]:
    """Yield which blocks are joined by entries, and which by multipliers, in arrays of as many blocks a factor."""
    count = pattern.sizes.size - pattern.multipliers
    of, plain = pattern.block_of, pattern.rows < pattern.primal
    yield np.flatnonzero(pattern.sizes[:count] > 0)[:, None]
    pairs = np.unique(of[pattern.rows[plain]] * count + of[pattern.cols[plain]])
    one, other = np.divmod(pairs, max(count, 1))
    yield np.column_stack([one, other])[one != other]
    across = (pattern.rows >= pattern.primal) & (pattern.cols < pattern.primal)
    tied = np.unique((of[pattern.rows[across]] - count) * count + of[pattern.cols[across]])
    row, block = np.divmod(tied, max(count, 1))
    firsts = np.flatnonzero(np.diff(row, prepend=-1))
    sizes = np.diff(firsts, append=len(row))
    for size in np.unique(sizes[sizes > 1]).tolist():
        yield np.unique(block[firsts[sizes == size][:, None] + np.arange(size)], axis=0)
