"""Any pattern whose fronts stay small: Cholesky's factors of a Bayes tree; multipliers are condensed into H.

[[H, A'], [A, -D]] becomes H + A' D^-1 A, which is positive definite where H is on the hard rows. Regularised hard rows
are stiff springs then, and what that leaves refinement takes away, as in a chain whose multipliers go first. A tree
needs no panels for multipliers, and eliminates within small fronts what few factors touch: of torques and the laws of
motion, only states are left.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.compiler.kernels import address_of
from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.fronts.bayes_tree import Order
from screwgraph.optimize.fronts.packed_tree import CholeskyFactors, PackedTree, SparseRows
from screwgraph.optimize.linear.dense import SMALLEST
from screwgraph.optimize.linear.hard_rows import HardRows, make_hard_rows, merge_columns
from screwgraph.optimize.linear.pattern import Pattern
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
    """Which values stand in H."""
    own: Int[np.ndarray, " d"]
    """Which values stand on the diagonal of multipliers."""
    rows: HardRows
    _free: list[CholeskyFactors] = field(default_factory=list)

    has_multipliers_first = True

    @property
    def operations(self) -> float:
        """Multiplications of a factorisation, those of condensed rows included; memory makes these slower."""
        return self.tree.operations + 4.0 * self.tree.products

    def factor(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], scales: Float[np.ndarray, " n"]
    ) -> TreeFactored:
        """Factor the matrix of these values; a pivot that is tiny against its scale is zero."""
        primal, count = self.pattern.primal, self.rows.matrix.count
        pivots = -diagonal[primal:]
        if self.own.size:
            pivots -= np.bincount(self.pattern.rows[self.own] - primal, values[self.own], count)
        numbers = TreeNumbers(values, self.rows.select_values(values), diagonal, 1.0 / pivots, scales)
        return self._factor(numbers, self._take_memory())

    def factor_again(
        self, last: TreeFactored, values: Float[np.ndarray, " E"], changed: Int[np.ndarray, " d"], overwrite: bool
    ) -> TreeFactored:
        """Factor the matrix of other values of H, regularised as before: only cliques of values that changed anew.

        If `overwrite`, in the memory of the last one, whose `values` these are then.
        """
        cliques = self.tree.find_changed(self._entries[changed])
        if overwrite:
            if self._eliminate(last.numbers, last.factors, cliques):
                raise SingularError(0, 0)
            return last
        factors = self._take_memory()
        factors.copy_from(last.factors)
        return self._factor(replace(last.numbers, values=values), factors, cliques)

    @cached_property
    def _entries(self) -> Int[np.ndarray, " E"]:
        """Which entry of H each value is."""
        found = np.zeros(self.pattern.rows.size, dtype=np.intp)
        found[self.plain] = np.arange(self.plain.size)
        return found

    def _take_memory(self) -> CholeskyFactors:
        return self._free.pop() if self._free else self.tree.make_factors()

    def _factor(
        self, numbers: TreeNumbers, factors: CholeskyFactors, changed: Int[np.ndarray, " c"] | None = None
    ) -> TreeFactored:
        is_negative, count = self._eliminate(numbers, factors, changed), self.rows.matrix.count
        factored = TreeFactored(self, numbers, factors, count + 1 if is_negative else count)
        weakref.finalize(factored, self._free.append, factors).atexit = False
        return factored

    def _eliminate(self, numbers: TreeNumbers, factors: CholeskyFactors, changed: Int[np.ndarray, " c"] | None) -> bool:
        """Write factors; return whether a pivot is negative. Raises SingularError where one is rounding."""
        given = (numbers.values, numbers.diagonal, numbers.slopes, numbers.weights)
        bad = self.tree.factor(*given, factors, NEGATIVE, changed)
        scales, own = numbers.scales, factors.pivots
        if bad >= 0 and self.pattern.multipliers and own[bad] < -SMALLEST * scales[bad]:
            return True
        if bad < 0:
            small = ~(own * own > SMALLEST * scales[: len(own)])
            if not small.any():
                return False
            bad = int(np.argmax(small))
        raise SingularError(bad, int(self.pattern.block_of[bad]))


@dataclass(frozen=True, eq=False)
class TreeNumbers:
    """Values, those of hard rows among them, what is added to H's diagonal, D^-1, scales of pivots."""

    values: Float[np.ndarray, " E"]
    slopes: Float[np.ndarray, " a"]
    diagonal: Float[np.ndarray, " n"]
    weights: Float[np.ndarray, " m"]
    scales: Float[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class TreeFactored:
    """A factored matrix.

    `negative` is one more than the multipliers where H is not positive definite on the hard rows; nothing is solved
    then.
    """

    method: TreeMethod
    numbers: TreeNumbers
    factors: CholeskyFactors
    negative: int

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        primal, solved = self.method.pattern.primal, np.array(b.T, order="C")
        first, size = address_of(solved), solved.itemsize
        for k in range(len(solved)):
            right = first + k * solved.shape[1] * size
            self.method.tree.solve_at(self._addresses, right, right + primal * size)
        return solved.T

    @cached_property
    def _addresses(self) -> tuple[int, int, int]:
        """Addresses of columns of L, of slopes and weights of hard rows."""
        return self.factors.addresses[0], address_of(self.numbers.slopes), address_of(self.numbers.weights)


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
    tree, balanced = (_order_blocks(pattern, order) for order in ("from_ends", "balanced"))
    if tree.operations * WORTH > balanced.operations:
        tree = balanced
    plain, hard = np.flatnonzero(rows < primal), merge_columns(make_hard_rows(pattern))
    packed = PackedTree(tree, plain, rows[plain], cols[plain], SparseRows(hard.matrix.columns, hard.matrix.firsts))
    return TreeMethod(pattern, packed, plain, np.flatnonzero(cols >= primal), hard)


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
