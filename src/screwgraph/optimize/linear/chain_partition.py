"""From a graph of blocks to a chain of steps, each of which touches only the one before and the one after."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from screwgraph.optimize.linear.ordering import Graph, list_orders, select_subgraph
from screwgraph.optimize.linear.pattern import Pattern

STARTS = 12
"""Lengths of the first step that are tried."""
SHORT = 24
"""Unknowns of a step up to which multipliers may move to a neighbour: longer steps leave out what nothing ties."""


@dataclass(frozen=True, eq=False)
class ChainPartition:
    """`step_of`: each block's step, -1 for the border; `dimension` is the largest step's, `border` the border's."""

    step_of: Int[np.ndarray, " B"]
    count: int
    dimension: int
    border: int
    order: str

    @property
    def operations(self) -> float:
        """Operations of a factorisation, by dimensions with padding."""
        d, b = self.dimension, self.border
        return self.count * (7 / 3 * d**3 + 3 * d * d * b + d * b * b + 100.0 * d) + b**3 / 3


def read_suggested_chain(pattern: Pattern) -> ChainPartition | None:
    """Return the chain that a pattern suggests, if its entries join neighbouring steps only."""
    if pattern.steps is None or pattern.multipliers or pattern.steps.shape != pattern.sizes.shape:
        return None
    step = pattern.steps[pattern.block_of].astype(np.int32)
    row, col = step[pattern.rows], step[pattern.cols]
    far = np.abs(row - col) > 1
    if far.any() and bool((far & (row >= 0) & (col >= 0)).any()):
        return None
    inside = pattern.steps >= 0
    room = np.bincount(pattern.steps[inside], pattern.sizes[inside], minlength=1)
    border = int(pattern.sizes[~inside].sum())
    return ChainPartition(pattern.steps, room.size, int(room.max()), border, "as suggested")


def find_chain(
    sizes: Int[np.ndarray, " B"], graph: Graph, tied: Graph, border: Int[np.ndarray, " S"]
) -> ChainPartition:
    """Return the cheapest chain found, once the blocks `border` are set aside; graphs are those of `block_graphs`."""
    inner = np.setdiff1d(np.arange(graph.shape[0]), border)
    tied_inner, between = select_subgraph(tied, inner, rows=False), select_subgraph(graph, inner)
    found = [
        _with_multipliers(sizes, inner, steps, tied_inner, name)
        for name, order in list_orders(between)
        for steps in _partitions(between, order, sizes[inner])
    ]
    if not found:
        return _with_multipliers(sizes, inner, np.zeros(0, np.int64), tied_inner, "nothing to order")
    return min(found, key=lambda steps: steps.operations)


def _partitions(graph: Graph, order: Int[np.ndarray, " B"], sizes: Int[np.ndarray, " B"]) -> list[np.ndarray]:
    """Return the step of each block, for several lengths of the first step."""
    count = order.size
    if count == 0:
        return []
    position = np.empty(count, dtype=np.int64)
    position[order] = np.arange(count)
    farthest = np.maximum.reduceat(position[graph.indices], graph.indptr[:-1])[order]  # each is its own neighbour
    # reach[k]: the place after the last block that the first k ones touch; a step has to last until there.
    reach = np.concatenate([[0], np.maximum.accumulate(farthest) + 1])
    filled = np.concatenate([[0], np.cumsum(sizes[order])])
    found = []
    for first in range(1, min(STARTS, count) + 1):
        # Shortest steps first; then all steps take as much as the longest of them has, so that there are fewer.
        largest = _largest(filled, _boundaries(reach, filled, first, 0))
        ends = _boundaries(reach, filled, first, largest)
        step = np.empty(count, dtype=np.int64)
        step[order] = np.repeat(np.arange(len(ends) - 1), np.diff(ends))
        found.append(step)
    return found


def _boundaries(reach: np.ndarray, filled: np.ndarray, first: int, room: int) -> list[int]:
    """Return where steps begin: a step ends where what the one before touches ends, or later while there is room."""
    until = np.arange(reach.size)
    if room:
        until = np.searchsorted(filled, filled + room, side="right") - 1
    then = np.maximum(np.maximum(reach, np.arange(reach.size) + 1), until).tolist()
    ends = [0, first]
    while ends[-1] < reach.size - 1:
        ends.append(then[ends[-1]])
    return ends


def _largest(filled: np.ndarray, ends: list[int]) -> int:
    return int(np.diff(filled[ends]).max())


def _with_multipliers(
    sizes: Int[np.ndarray, " B"],
    inner: Int[np.ndarray, " I"],
    step_of_inner: Int[np.ndarray, " I"],
    tied: Graph,
    name: str,
) -> ChainPartition:
    """Put multipliers into the first of the steps that they touch; into the border if they touch none."""
    from scipy import sparse

    multipliers = tied.shape[0]
    plain, step_of = sizes.size - multipliers, np.full(sizes.size, -1, dtype=np.int64)
    step_of[inner] = step_of_inner
    none = np.iinfo(np.int64).max
    first, last = np.full(multipliers, none), np.full(multipliers, -1)
    pairs = sparse.coo_matrix(tied)
    np.minimum.at(first, pairs.row, step_of_inner[pairs.col])
    np.maximum.at(last, pairs.row, step_of_inner[pairs.col])
    step_of[plain:] = np.where(first == none, -1, first)
    inside = step_of >= 0
    room = np.bincount(step_of[inside], sizes[inside], minlength=1).astype(np.int64)
    if room.max() <= SHORT:
        step_of = _level_multipliers(step_of, room, sizes, plain + np.flatnonzero((first == last) & inside[plain:]))
        room = np.bincount(step_of[inside], sizes[inside], minlength=1).astype(np.int64)
    return ChainPartition(step_of, int(step_of.max(initial=-1)) + 1, int(room.max()), int(sizes[~inside].sum()), name)


def _level_multipliers(
    step_of: Int[np.ndarray, " B"], room: Int[np.ndarray, " N"], sizes: Int[np.ndarray, " B"], loose: np.ndarray
) -> Int[np.ndarray, " B"]:
    """Move multipliers that touch one step only (`loose`) from the longest steps into a shorter neighbour.

    All steps are as long as the longest one, which a few goals would otherwise make it.
    """
    step_of, room = step_of.copy(), room.copy()
    for block in loose[np.argsort(sizes[loose], kind="stable")].tolist():
        here, size = int(step_of[block]), int(sizes[block])
        near = [s for s in (here - 1, here + 1) if 0 <= s < room.size]
        there = min(near, key=room.__getitem__, default=here)
        if room[here] == room.max() and room[there] + size < room[here]:
            step_of[block] = there
            room[[here, there]] += (-size, size)
    return step_of
