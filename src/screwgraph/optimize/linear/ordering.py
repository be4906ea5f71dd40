"""Orders of blocks in which neighbours stand close together."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.optimize.linear.pattern import Pattern

Graph = Any
"""A sparse array of SciPy's, of which type checkers know little."""


def make_block_graphs(pattern: Pattern) -> tuple[Graph, Graph]:
    """Return which blocks are neighbours, and which block of multipliers (row) touches which other block (column).

    Neighbours are blocks that are no multipliers, and share an entry or a multiplier; each is its own.
    """
    from scipy import sparse

    count, all_blocks = pattern.sizes.size - pattern.multipliers, pattern.sizes.size
    of = pattern.block_of.astype(np.int32)
    pairs = of[pattern.rows].astype(np.int64) * all_blocks + of[pattern.cols]
    changes = np.flatnonzero(np.diff(pairs, prepend=-1))  # entries of one block mostly stand together
    rows, cols = np.divmod(np.unique(pairs[changes]), max(all_blocks, 1))
    plain, across = rows < count, (rows >= count) & (cols < count)
    own = _matrix(rows[plain], cols[plain], (count, count)) + sparse.eye_array(count)
    tied = _matrix(rows[across] - count, cols[across], (pattern.multipliers, count))
    graph = sparse.csr_array(own + own.T + tied.T @ tied)
    graph.data[:] = 1.0
    return graph, tied


def select_subgraph(graph: Graph, kept: Int[np.ndarray, " K"], rows: bool = True) -> Graph:
    """Return a graph's columns, and by default rows, of some blocks."""
    from scipy import sparse

    size = graph.shape[1]
    pick = sparse.csr_array((np.ones(kept.size), (kept, np.arange(kept.size))), shape=(size, kept.size))
    return sparse.csr_array(pick.T @ graph @ pick if rows else graph @ pick)


def list_orders(graph: Graph) -> Iterator[tuple[str, Int[np.ndarray, " B"]]]:
    """Yield orders worth trying, with their names."""
    from scipy.sparse import csgraph

    if not graph.shape[0]:
        return
    yield "distance from both ends", _between_ends(graph)
    yield "reverse Cuthill-McKee", csgraph.reverse_cuthill_mckee(graph, symmetric_mode=True)
    yield "as given", np.arange(graph.shape[0])


def _between_ends(graph: Graph) -> Int[np.ndarray, " B"]:
    """Order blocks by distance from one end of each component, minus distance from its other end.

    Gibbs, Poole, Stockmeyer, An algorithm for reducing the bandwidth and profile of a sparse matrix (1976), in spirit.
    """
    from scipy.sparse import csgraph

    count, labels = csgraph.connected_components(graph, directed=False)
    one = _distances(graph, _farthest(-np.arange(labels.size), labels, count))
    there = _distances(graph, _farthest(one, labels, count))
    back = _distances(graph, _farthest(there, labels, count))
    return np.lexsort((there, there - back, labels))


def _farthest(distance: np.ndarray, labels: Int[np.ndarray, " B"], count: int) -> Int[np.ndarray, " C"]:
    """Return the block of each component with the largest distance."""
    order = np.lexsort((distance, labels))
    last = np.searchsorted(labels[order], np.arange(count), side="right") - 1
    return order[last]


def _distances(graph: Graph, sources: Int[np.ndarray, " C"]) -> Int[np.ndarray, " B"]:
    """Return how many edges each block is away from its component's source."""
    starts, neighbours = graph.indptr.tolist(), graph.indices.tolist()
    distance = [-1] * graph.shape[0]
    front, far = sources.tolist(), 0
    for block in front:
        distance[block] = 0
    while front:
        far, new = far + 1, []
        for block in front:
            for other in neighbours[starts[block] : starts[block + 1]]:
                if distance[other] < 0:
                    distance[other] = far
                    new.append(other)
        front = new
    return np.array(distance, dtype=np.int64)


def _matrix(rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> Graph:
    from scipy import sparse

    return sparse.csr_array((np.ones(rows.size), (rows, cols)), shape=shape)
