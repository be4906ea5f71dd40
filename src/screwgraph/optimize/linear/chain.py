"""Chains of steps, with or without a border: panels factored by generated machine code.

Beside Bayes trees (`optimize.fronts`), whose pivots are positive, for two reasons. Hard rows have negative pivots. And
a tree is slower where all factors are soft, although it goes from both ends of a chain as panels do and packs its
columns: 1000 steps of 4, 6, 12, 24 and 36 unknowns take 1.3, 1.4, 1.2, 1.2 and 1.1 times as long, 200 steps of 4, 6 and
12 take 1.1, 1.2 and 1.3 times, a whole Gauss-Newton solution of 1000 steps of 6 or 14 unknowns 1.2 to 1.3 times. Panels
are code for one size, without loops over lists: small steps wait for these, not for arithmetic. Windows and plans are
trees.
"""

from __future__ import annotations

import weakref
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float, Int

from screwgraph.compiler.kernels import vector_width
from screwgraph.compiler.kernels.dense import UNROLLED, ChainShape, compile_chain, compile_places
from screwgraph.optimize.linear.chain_partition import ChainPartition
from screwgraph.optimize.linear.dense import SMALLEST, count_negative_pivots, load_lapack
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.regularise import Regulariser
from screwgraph.optimize.singular_error import SingularError

ROUNDING = 4
"""Steps beyond `UNROLLED` unknowns, and borders, are filled up to a multiple of this: so they share code."""


Indices = slice | Int[np.ndarray, " n"]


@dataclass(frozen=True, eq=False)
class ChainPlaces:
    """Places of unknowns and entries.

    `slot` of each unknown: column d i + j of step i, or -1 - k for the border's k-th. `entries` in storage: panels
    first, then the border's matrix. `firsts` of each step, in long ones: the column at which it begins, and the first
    after those of multipliers that are tied to no others; `alone` are those that each column has entries in common
    with, up to `ends`. `rest` are unused columns that are eliminated all the same.
    """

    slot: Int[np.ndarray, " n"]
    entries: ScatterTargets
    diagonal: ScatterTargets
    firsts: Int[np.ndarray, "N 2"]
    ends: Int[np.ndarray, " s"]
    alone: Int[np.ndarray, " A"]
    rest: Int[np.ndarray, " R"]
    size: int


@dataclass(frozen=True, eq=False)
class ChainMethod:
    """L D L^T of a block-tridiagonal matrix with a border; multipliers go first in their step."""

    pattern: Pattern
    steps: ChainPartition
    shape: ChainShape
    places: ChainPlaces
    _free: list[Float[np.ndarray, " S"]] = field(default_factory=list)

    def factor(
        self, values: Float[np.ndarray, " E"], diagonal: Float[np.ndarray, " n"], regularise: Regulariser
    ) -> ChainFactored:
        """Factor the matrix of these values, regularised; a pivot that is tiny against its scale is zero."""
        diagonal, scales = regularise(values, diagonal, True)
        storage = self._storage()
        panels = (self.steps.count + 1) * self.shape.panel
        storage.fill(0.0)
        storage[self.places.rest] = 1.0
        self.places.entries.add(storage, values)
        self.places.diagonal.add(storage, diagonal)
        inverses = np.zeros((self.steps.count, self.shape.step))
        d, count = self.shape.d, self.steps.count
        slot = self.places.slot
        inside = slot >= 0
        padded = np.ones(count * d)
        padded[slot[inside]] = scales[inside]
        scratch = np.empty(self.shape.panel)
        border = storage[panels:]
        bad = compile_chain(self.shape).factor(
            storage.ctypes.data,
            scratch.ctypes.data,
            inverses.ctypes.data,
            padded.ctypes.data,
            border.ctypes.data,
            self.places.firsts.ctypes.data,
            self.places.ends.ctypes.data,
            self.places.alone.ctypes.data,
            count,
            SMALLEST,
        )
        if bad >= 0:
            raise self._singular(slot == bad)
        negative = int((inverses[:, :d] < 0).sum())
        if negative and not self.pattern.multipliers:
            step, column = np.argwhere(inverses[:, :d] < 0)[0]
            raise self._singular(slot == step * d + column)
        edge = self._border(border, scales) if self.steps.border else None
        factored = ChainFactored(self, storage, inverses, edge, negative + (edge.negative if edge else 0))
        weakref.finalize(factored, self._free.append, storage).atexit = False
        return factored

    @cached_property
    def places_of_sides(self) -> tuple[Indices, Int[np.ndarray, " n"], Indices, Int[np.ndarray, " b"]]:
        """Which unknowns stand in the chain, and where in a right side; which in the border, and where."""
        slot = self.places.slot
        inside, outside = np.flatnonzero(slot >= 0), np.flatnonzero(slot < 0)
        step, column = np.divmod(slot[inside], max(self.shape.d, 1))
        everything = slice(None) if not outside.size else inside
        return everything, step * self.shape.step + column, outside, -1 - slot[outside]

    def _storage(self) -> Float[np.ndarray, " S"]:
        try:
            return self._free.pop()
        except IndexError:
            return np.zeros(self.places.size)

    def _singular(self, where: np.ndarray) -> SingularError:
        unknown = int(np.argmax(where))
        return SingularError(unknown, int(self.pattern.block_of[unknown]))

    def _border(self, storage: Float[np.ndarray, " S"], scales: Float[np.ndarray, " n"]) -> Border:
        b, slot = self.steps.border, self.places.slot
        own = np.empty(b)
        own[-1 - slot[slot < 0]] = scales[slot < 0]
        border = factor_border(storage.reshape(self.shape.b, self.shape.border)[:b, :b].T, own)
        if border.bad >= 0:
            raise self._singular(slot == -1 - border.bad)
        if border.negative and not self.pattern.multipliers:
            raise self._singular(slot == -1)
        return border


@dataclass(frozen=True, eq=False)
class ChainFactored:
    """Panels with L, inverses of D, and the border's factors."""

    method: ChainMethod
    storage: Float[np.ndarray, " S"]
    inverses: Float[np.ndarray, "N p"]
    border: Border | None
    negative: int

    def solve(self, b: Float[np.ndarray, "n k"]) -> Float[np.ndarray, "n k"]:
        """Solve for several right sides."""
        shape, count = self.method.shape, self.method.steps.count
        inside, at, outside, edge_at = self.method.places_of_sides
        code, result = compile_chain(shape), np.empty_like(b)
        for k in range(b.shape[1]):
            x, edge = np.zeros((count + 1) * shape.step), np.zeros(max(shape.border, 1))
            x[at], edge[edge_at] = b[inside, k], b[outside, k]
            arrays = (self.storage, self.inverses, x, edge, self.method.places.firsts)
            arguments = [a.ctypes.data for a in arrays]
            code.forward(*arguments, count)
            if self.border:
                edge[: self.method.steps.border] = self.border.solve(edge[: self.method.steps.border])
            code.backward(*arguments, count)
            result[inside, k], result[outside, k] = x[at], edge[edge_at]
        return result


def make_chain_method(pattern: Pattern, steps: ChainPartition) -> ChainMethod:
    """Prepare the places of entries in the panels of a chain."""
    d, width = _round_dimension(steps.dimension), vector_width()
    tied = _find_tied_unknowns(pattern, steps) if d > UNROLLED else np.ones(pattern.count, dtype=bool)
    step = steps.step_of[pattern.block_of]
    most = int(np.bincount(step[tied & (step >= 0)], minlength=1).max())
    skipped = (d - most) // width * width
    shape = ChainShape(d, -(-steps.border // ROUNDING) * ROUNDING, width, skipped)
    return ChainMethod(pattern, steps, shape, _places(pattern, steps, shape, tied & (skipped > 0)))


def _find_tied_unknowns(pattern: Pattern, steps: ChainPartition) -> Bool[np.ndarray, " n"]:
    """Whether unknowns are tied to ones of the step before; all, where multipliers are, which have to come first."""
    step = steps.step_of[pattern.block_of]
    row, col = step[pattern.rows], step[pattern.cols]
    tied = np.zeros(pattern.count, dtype=bool)
    inside = (row >= 0) & (col >= 0)
    tied[pattern.rows[inside & (row > col)]] = True
    tied[pattern.cols[inside & (col > row)]] = True
    return tied if not tied[pattern.primal :].any() else np.ones(pattern.count, dtype=bool)


def _round_dimension(dimension: int) -> int:
    """Return the size of steps that code is made for: large ones share code."""
    return dimension if dimension <= UNROLLED else -(-dimension // ROUNDING) * ROUNDING


def _places(pattern: Pattern, steps: ChainPartition, shape: ChainShape, last: Bool[np.ndarray, " n"]) -> ChainPlaces:
    slot = _slots(pattern, steps, shape.d, last)
    if steps.border:
        entries = _place(slot[pattern.rows], slot[pattern.cols], steps, shape)
    else:
        entries = _inner(slot, pattern, steps, shape)
    firsts = _firsts(slot, pattern, steps, shape)
    used = np.zeros((steps.count, shape.d), dtype=bool)
    used.ravel()[slot[slot >= 0]] = True
    rest = np.flatnonzero(~used & (np.arange(shape.d) >= firsts[:, :1]))
    size = (steps.count + 1) * shape.panel + max(shape.b * shape.border, 1)
    return ChainPlaces(
        slot,
        find_runs(entries),
        find_runs(_place(slot, slot, steps, shape)),
        firsts,
        *_alone(slot, pattern, shape, firsts),
        _place(rest, rest, steps, shape),
        size,
    )


def _slots(pattern: Pattern, steps: ChainPartition, d: int, last: Bool[np.ndarray, " n"]) -> Int[np.ndarray, " n"]:
    """Number unknowns within their step, multipliers first, some `last`; and within the border.

    Long steps are filled from their end.
    """
    step = steps.step_of[pattern.block_of]
    plain = np.arange(pattern.count) < pattern.primal
    order = np.lexsort((plain, last, step))
    starts = np.searchsorted(step[order], step)
    rank = np.empty(pattern.count, dtype=np.int64)
    rank[order] = np.arange(pattern.count)
    rank -= starts
    if d > UNROLLED:
        # Unused columns stand at the begin of a step, where loops can skip them.
        missing = d - np.bincount(step[step >= 0], minlength=1)
        rank = np.where(step >= 0, rank + missing[np.maximum(step, 0)], rank)
    return np.where(step >= 0, step * d + rank, -1 - rank)


def _firsts(
    slot: Int[np.ndarray, " n"], pattern: Pattern, steps: ChainPartition, shape: ChainShape
) -> Int[np.ndarray, "N 2"]:
    """Return where each step begins, and where its multipliers end, if they are tied to no others."""
    found = np.zeros((steps.count, 2), dtype=np.int64)
    if shape.d <= UNROLLED:
        return found
    step = slot[slot >= 0] // shape.d
    multipliers = np.flatnonzero((slot >= 0) & (np.arange(slot.size) >= pattern.primal))
    begins = shape.d - np.bincount(step, minlength=steps.count)
    found[:] = (begins // shape.width * shape.width)[:, None]
    among = (pattern.rows != pattern.cols) & (np.minimum(pattern.rows, pattern.cols) >= pattern.primal)
    if not among.any():
        found[:, 1] = begins + np.bincount(slot[multipliers] // shape.d, minlength=steps.count)
    return found


def _alone(
    slot: Int[np.ndarray, " n"], pattern: Pattern, shape: ChainShape, firsts: Int[np.ndarray, "N 2"]
) -> tuple[Int[np.ndarray, " s"], Int[np.ndarray, " A"]]:
    """Return, for all columns of all steps, the multipliers of their step that stand alone and touch them: where the
    list of each begins and ends, and the lists, of columns.
    """
    of_multiplier = (pattern.rows >= pattern.primal) & (pattern.cols < pattern.primal)
    multiplier, column = slot[pattern.rows[of_multiplier]], slot[pattern.cols[of_multiplier]]
    step, place = np.divmod(multiplier, shape.d)
    inside = (multiplier >= 0) & (column >= 0) & (step == column // shape.d)
    inside &= place < firsts[np.where(inside, step, 0), 1]
    found = np.unique(column[inside] * shape.d + place[inside])  # column and multiplier, once each
    column, place = np.divmod(found, shape.d)
    count = np.bincount(column, minlength=len(firsts) * shape.d)
    return np.concatenate([[0], np.cumsum(count)]), np.ascontiguousarray(place)


def _inner(slot: np.ndarray, pattern: Pattern, steps: ChainPartition, shape: ChainShape) -> np.ndarray:
    """Return where entries stand if there is no border: the sum of a part of their column and one of their row."""
    short = slot.astype(np.int32)
    one, other = short[pattern.rows], short[pattern.cols]
    below = shape.step - shape.skipped
    step, column = np.divmod(np.arange(steps.count * shape.d, dtype=np.int64), max(shape.d, 1))
    of_column = (step * (shape.panel - below) + column * shape.height).astype(np.int32)
    of_row = (step * below + column).astype(np.int32)
    return of_column[np.minimum(one, other)] + of_row[np.maximum(one, other)]


def _place(row: np.ndarray, col: np.ndarray, steps: ChainPartition, shape: ChainShape) -> np.ndarray:
    """Return where in storage the entry of two slots stands, whichever of them is the row."""
    edges = (row < 0) & (col < 0)
    swap = np.where(edges, row > col, np.where(row < 0, False, (col < 0) | (row < col)))
    low, high = np.where(swap, row, col), np.where(swap, col, row)  # column, row
    step, column = np.divmod(low, max(shape.d, 1))
    row_step, row_column = np.divmod(high, max(shape.d, 1))
    below = (row_step - step) * (shape.step - shape.skipped) + row_column
    within = np.where(high < 0, shape.lower - 1 - high, below)
    inner = step * shape.panel + column * shape.height + within
    corner = (steps.count + 1) * shape.panel + (-1 - low) * shape.border + (-1 - high)
    return np.where(edges, corner, inner)


# The border's own matrix, once the chain is eliminated: small and dense.


@dataclass(frozen=True, eq=False)
class Border:
    """L D L^T of `S` scaled by `size` on both sides; `bad` is the unknown without a pivot, or -1."""

    lower: Float[np.ndarray, "b b"]
    swaps: Int[np.ndarray, " b"]
    size: Float[np.ndarray, " b"]
    negative: int
    bad: int

    def solve(self, right: Float[np.ndarray, " b"]) -> Float[np.ndarray, " b"]:
        """Solve for one right side."""
        return load_lapack("sytrs")(self.lower, self.swaps, right * self.size, lower=1)[0].reshape(-1) * self.size


def factor_border(S: Float[np.ndarray, "b b"], scales: Float[np.ndarray, " b"]) -> Border:
    """Factor the lower triangle of S, scaled so that a pivot tells how much is left of what stood there."""
    size = 1.0 / np.sqrt(np.where(scales > 0, scales, 1.0))
    lower, swaps, info = load_lapack("sytrf")(S * np.outer(size, size), lower=1)
    negative, smallest, first = count_negative_pivots(lower, swaps)
    singular = info > 0 or not smallest > SMALLEST
    return Border(lower, swaps, size, negative, (info - 1 if info > 0 else first) if singular else -1)


# Where values go in storage: one place each, or runs of places side by side.

LONG = 3.0
"""Runs of at least so many values, on average, are worth it."""


@dataclass(frozen=True, eq=False)
class ScatterTargets:
    """`at` is the place of each value; or, with `lengths`, that of the first one of each run."""

    at: Int[np.ndarray, " E"]
    lengths: Int[np.ndarray, " R"] | None

    def add(self, storage: Float[np.ndarray, " S"], values: Float[np.ndarray, " E"]) -> None:
        """Add values at their places."""
        code, out, at = compile_places(), storage.ctypes.data, self.at.ctypes.data
        if self.lengths is None:
            code.scatter(out, at, values.ctypes.data, self.at.size)
        else:
            code.scatter_runs(out, at, self.lengths.ctypes.data, values.ctypes.data, self.at.size)


def find_runs(places: Int[np.ndarray, " E"]) -> ScatterTargets:
    """Find runs in places."""
    firsts = np.flatnonzero(np.diff(places, prepend=-2) != 1)
    if firsts.size == 0 or places.size < LONG * firsts.size:
        return ScatterTargets(places.astype(np.int32), None)
    lengths = np.diff(firsts, append=places.size)
    return ScatterTargets(places[firsts].astype(np.int32), lengths.astype(np.int32))
