"""Orders of blocks in which neighbours stand close together."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Int
from scipy import sparse
from scipy.sparse import csgraph

from screwgraph.optimize.linear.pattern import Pattern


def block_graph(pattern: Pattern) -> sparse.csr_matrix:
    """Return which blocks that are no multipliers share an entry or a multiplier, with the diagonal."""
    count = pattern.sizes.size - pattern.multipliers
    rows, cols = pattern.block_of[pattern.rows], pattern.block_of[pattern.cols]
    plain = rows < count
    graph = _matrix(rows[plain], cols[plain], (count, count)) + sparse.identity(count)
    tied = constrained_blocks(pattern)
    graph = graph + graph.T + tied.T @ tied
    graph = sparse.csr_matrix(graph)
    graph.data[:] = 1.0
    return graph


def constrained_blocks(pattern: Pattern) -> sparse.csr_matrix:
    """Return which block of multipliers (row) touches which other block (column)."""
    count = pattern.sizes.size - pattern.multipliers
    rows, cols = pattern.block_of[pattern.rows], pattern.block_of[pattern.cols]
    across = (rows >= count) & (cols < count)
    return _matrix(rows[across] - count, cols[across], (pattern.multipliers, count))


def orders(graph: sparse.csr_matrix) -> Iterator[tuple[str, Int[np.ndarray, "B"]]]:
    """Yield orders worth trying, with their names."""
    yield "as given", np.arange(graph.shape[0])
    yield "reverse Cuthill-McKee", csgraph.reverse_cuthill_mckee(graph, symmetric_mode=True)
    yield "distance from both ends", _between_ends(graph)


def _between_ends(graph: sparse.csr_matrix) -> Int[np.ndarray, "B"]:
    """Order blocks by distance from one end of each component, minus distance from its other end.

    Gibbs, Poole, Stockmeyer, An algorithm for reducing the bandwidth and profile of a sparse matrix (1976), in spirit.
    """
    count, labels = csgraph.connected_components(graph, directed=False)
    one = _distances(graph, _first_of_each(labels, count))
    start = _farthest(one, labels, count)
    there = _distances(graph, start)
    end = _farthest(there, labels, count)
    back = _distances(graph, end)
    return np.lexsort((there, there - back, labels))


def _first_of_each(labels: Int[np.ndarray, "B"], count: int) -> Int[np.ndarray, "C"]:
    first = np.zeros(count, dtype=np.int64)
    first[labels[::-1]] = np.arange(labels.size)[::-1]
    return first


def _farthest(distance: np.ndarray, labels: Int[np.ndarray, "B"], count: int) -> Int[np.ndarray, "C"]:
    order = np.lexsort((distance, labels))
    last = np.searchsorted(labels[order], np.arange(count), side="right") - 1
    return order[last]


def _distances(graph: sparse.csr_matrix, sources: Int[np.ndarray, "C"]) -> np.ndarray:
    """Return how many edges each block is away from its component's source."""
    distance = np.full(graph.shape[0], -1)
    front, far = np.unique(sources), 0
    while front.size:
        distance[front] = far
        near = np.unique(graph[front].indices)
        front, far = near[distance[near] < 0], far + 1
    return distance


def _matrix(rows: np.ndarray, cols: np.ndarray, shape: tuple[int, int]) -> sparse.csr_matrix:
    pairs = np.unique(rows * max(shape[1], 1) + cols)
    rows, cols = np.divmod(pairs, max(shape[1], 1))
    return sparse.csr_matrix((np.ones(pairs.size), (rows, cols)), shape=shape)
