"""Any pattern whose fronts stay small: Cholesky's factors of a Bayes tree; multipliers are condensed into H.

[[H, A'], [A, -D]] becomes H + A' D^-1 A, which is positive definite where H is on the hard rows. Regularised hard rows
are stiff springs then, and what that leaves refinement takes away, as in a chain whose multipliers go first. A tree
needs no panels for multipliers, and eliminates within small fronts what few factors touch: of torques and the laws of
motion, only states are left.
"""

from __future__ import annotations

import weakref
from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.optimize.fronts import BayesTree
from screwgraph.optimize.linear.chain import ScatterTargets, find_runs
from screwgraph.optimize.linear.dense import SMALLEST
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.row_products import MatrixEntries, compile_row_products
from screwgraph.optimize.singular_error import SingularError

NEGATIVE = 1e-18
"""A pivot of a front, relative to its diagonal, beyond which it is compared with the scale of its unknown."""


@dataclass(frozen=True, eq=False)
class HardRows:
    """Hard rows, one after the other: which values their entries are, `places` of products of two in fronts.

    A row that names a column twice names it once here: `sums` then says which entry each of its values goes to.
    """

    entries: Int[np.ndarray, " A"]
    matrix: MatrixEntries
    firsts: Int[np.ndarray, " m_1"]
    places: Int[np.ndarray, " p"]
    sums: Int[np.ndarray, " A"] | None

    @property
    def count(self) -> int:
        """Number of rows."""
        return len(self.firsts) - 1

    def select_values(self, values: Float[np.ndarray, " E"]) -> Float[np.ndarray, " a"]:
        """Return the values of all entries."""
        found = values[self.entries]
        return found if self.sums is None else np.bincount(self.sums, found, len(self.matrix.columns))

    def add_squares(
        self, pool: Float[np.ndarray, " S"], values: Float[np.ndarray, " a"], weights: Float[np.ndarray, " m"]
    ) -> None:
        """Add A'WA to fronts."""
        arrays = (pool, self.places, values, weights, self.firsts)
        compile_row_products().functions["add_squares"](*(a.ctypes.data for a in arrays), self.count)


@dataclass(frozen=True, eq=False)
class TreeMethod:
    """Cholesky on a Bayes tree of the unknowns that are no multipliers."""

    pattern: Pattern
    tree: BayesTree
    blank: Float[np.ndarray, " S"]
    """Fronts without numbers: each factorisation has its own."""
    entries: Int[np.ndarray, " e"] | slice
    places: ScatterTargets
    diagonal: Int[np.ndarray, " n"]
    own: Int[np.ndarray, " d"]
    """Which values stand on the diagonal of multipliers."""
    rows: HardRows
    _free: list[Float[np.ndarray, " S"]] = field(default_factory=list)

    has_multipliers_first = True

    @property
    def operations(self) -> float:
        """Multiplications of a factorisation, those of condensed rows included; memory makes these slower."""
        return self.tree.operations + 4.0 * self.rows.places.size

    def factor(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], scales: Float[np.ndarray, " n"]
    ) -> TreeFactored:
        """Factor the matrix of these values; a pivot that is tiny against its scale is zero."""
        primal, rows = self.pattern.primal, self.rows
        pool = self._free.pop() if self._free else self.blank.copy()
        self.tree.use_fronts(pool)
        self.tree.clear()
        self.places.add(pool, np.ascontiguousarray(values[self.entries]))
        pool[self.diagonal] += diagonal[:primal]
        pivots = -diagonal[primal:]
        if self.own.size:
            pivots -= np.bincount(self.pattern.rows[self.own] - primal, values[self.own], rows.count)
        used = rows.select_values(values)
        rows.add_squares(pool, used, 1.0 / pivots)
        factored = TreeFactored(self, pool, used, pivots, rows.count)
        weakref.finalize(factored, self._free.append, pool).atexit = False
        try:
            self.tree.factor(NEGATIVE)
        except SingularError as error:
            pivot = pool[self.diagonal[error.unknown]]
            if self.pattern.multipliers and pivot < -SMALLEST * scales[error.unknown]:
                return TreeFactored(self, pool, used, pivots, rows.count + 1)
            raise
        bad = ~(pool[self.diagonal] ** 2 > SMALLEST * scales[:primal])
        if bad.any():
            unknown = int(np.argmax(bad))
            raise SingularError(unknown, int(self.pattern.block_of[unknown]))
        return factored


@dataclass(frozen=True, eq=False)
class TreeFactored:
    """Factored fronts, the values of hard rows, and D.

    `negative` is one more than the multipliers where H is not positive definite on the hard rows; nothing is solved
    then.
    """

    method: TreeMethod
    pool: Float[np.ndarray, " S"]
    values: Float[np.ndarray, " v"]
    pivots: Float[np.ndarray, " m"]
    negative: int

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        rows, primal, tree = self.method.rows, self.method.pattern.primal, self.method.tree
        result = np.empty_like(b)
        tree.use_fronts(self.pool)
        for k in range(b.shape[1]):
            above, below = b[:primal, k], b[primal:, k]
            weighted = rows.matrix.multiply_transposed(self.values, below / self.pivots)
            x = tree.solve_right(-above - weighted)
            moved = rows.matrix.multiply(self.values, x)
            result[:primal, k], result[primal:, k] = x, (moved - below) / self.pivots
        return result


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
    tree = BayesTree(pattern.sizes[: pattern.sizes.size - pattern.multipliers])
    for joined in _find_factors(pattern):
        tree.add(joined, 0, 0)
    tree.prepare()
    places, plain = tree.storage.places, np.flatnonzero(rows < primal)
    every = np.arange(primal)
    is_first = plain.size == 0 or plain[-1] == plain.size - 1
    return TreeMethod(
        pattern,
        tree,
        tree.clear().copy(),
        slice(plain.size) if is_first else plain,
        find_runs(places(rows[plain], cols[plain])),
        places(every, every),
        np.flatnonzero(cols >= primal),
        _make_hard_rows(pattern, tree),
    )


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


def _make_hard_rows(pattern: Pattern, tree: BayesTree) -> HardRows:
    """Sort the entries of hard rows, and look up the places of their products."""
    primal = pattern.primal
    across = np.flatnonzero((pattern.rows >= primal) & (pattern.cols < primal))
    keys = (pattern.rows[across] - primal) * max(primal, 1) + pattern.cols[across]
    found, first, sums = np.unique(keys, return_index=True, return_inverse=True)
    row, columns = np.divmod(found, max(primal, 1))
    firsts = np.searchsorted(row, np.arange(pattern.count - primal + 1))
    sizes = np.diff(firsts)
    pairs = sizes * (sizes + 1) // 2
    begins = np.cumsum(pairs) - pairs
    one, other = np.zeros((2, int(pairs.sum())), dtype=np.int64)
    for size in np.unique(sizes[sizes > 0]).tolist():
        chosen = np.flatnonzero(sizes == size)
        a, b = np.triu_indices(size)
        at = begins[chosen][:, None] + np.arange(len(a))
        one[at], other[at] = columns[firsts[chosen][:, None] + a], columns[firsts[chosen][:, None] + b]
    is_plain = len(found) == len(across)
    return HardRows(
        across[first] if is_plain else across,
        MatrixEntries(row, columns, (pattern.count - primal, primal)),
        firsts,
        tree.storage.places(one, other),
        None if is_plain else sums,
    )
