"""Which method suits a pattern."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.optimize.linear.chain import ChainMethod, make_chain_method
from screwgraph.optimize.linear.chain_partition import ChainPartition, find_chain, read_suggested_chain
from screwgraph.optimize.linear.dense import DenseMethod, make_dense_method
from screwgraph.optimize.linear.ordering import Graph, make_block_graphs
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.sparse import SparseMethod, make_sparse_method
from screwgraph.optimize.linear.tree import TreeMethod, is_tied, make_tree_method

SMALL = 48
"""Up to so many unknowns, dense."""
LARGEST_STEP = 512
"""Beyond so many unknowns a step, no chain."""
LARGEST_WITH_MULTIPLIERS = 128
"""The same where some unknowns are multipliers."""
UNSAFE = 20.0
"""With multipliers, what a chain may cost more: its order keeps pivots away from zero, a sparse method's cannot."""
METHODS = ("auto", "dense", "chain", "arrow", "tree", "sparse")


@dataclass(frozen=True, eq=False)
class MethodChoice:
    """A method, its name and why."""

    name: str
    method: DenseMethod | ChainMethod | SparseMethod | TreeMethod
    why: str


def choose_method(pattern: Pattern, method: str, is_solved: bool = False) -> MethodChoice:
    """Return the method of that name, or the best one for "auto": a tree, where systems with multipliers are solved.

    Chains give covariances, too.
    """
    if method not in METHODS:
        raise InputError(f"method {method!r}", why="unknown", fix=f"one of {', '.join(METHODS)}")
    n = pattern.count
    if method == "dense" or (method == "auto" and n <= SMALL):
        return MethodChoice("dense", make_dense_method(pattern), f"{n} unknowns")
    if method == "sparse":
        return MethodChoice("sparse", make_sparse_method(pattern), "asked for")
    if method == "tree" or (method == "auto" and is_solved and pattern.multipliers and not is_tied(pattern)):
        tree = make_tree_method(pattern)
        if method == "tree" or tree.operations < _dense(n):
            return MethodChoice("tree", tree, f"fronts of up to {tree.tree.widest} unknowns")
    steps = (read_suggested_chain(pattern) if method == "auto" else None) or _best_chain(pattern, method)
    why = _words(steps)
    if method != "auto":
        return MethodChoice(method, make_chain_method(pattern, steps), why)
    largest = LARGEST_WITH_MULTIPLIERS if pattern.multipliers else LARGEST_STEP
    if steps.dimension <= largest and steps.operations < min(_dense(n), _sparse(pattern)):
        return MethodChoice("arrow" if steps.border else "chain", make_chain_method(pattern, steps), why)
    if _dense(n) < _sparse(pattern):
        return MethodChoice("dense", make_dense_method(pattern), f"{n} unknowns; a chain would be {why}")
    return MethodChoice("sparse", make_sparse_method(pattern), f"a chain would be {why}")


@dataclass(frozen=True)
class _Blocks:
    """Sizes of blocks and their two graphs, of `make_block_graphs`: bytes of 64-bit integers, to be compared."""

    sizes: bytes
    own: tuple[bytes, bytes]
    tied: tuple[bytes, bytes]

    def graph(self, of: tuple[bytes, bytes], columns: int) -> Graph:
        """Return one of the graphs."""
        from scipy import sparse

        starts, indices = (np.frombuffer(part, dtype=np.int64) for part in of)
        return sparse.csr_array((np.ones(indices.size), indices, starts), shape=(starts.size - 1, columns))


def _best_chain(pattern: Pattern, method: str) -> ChainPartition:
    """Return the cheapest of the chains with some widely tied blocks set aside."""

    def numbers(graph: Graph) -> tuple[bytes, bytes]:
        return graph.indptr.astype(np.int64).tobytes(), graph.indices.astype(np.int64).tobytes()

    graph, tied = make_block_graphs(pattern)
    return _chain(_Blocks(pattern.sizes.astype(np.int64).tobytes(), numbers(graph), numbers(tied)), method)


@lru_cache(maxsize=32)
def _chain(blocks: _Blocks, method: str) -> ChainPartition:
    """Return the best chain; factors that join what others join already change nothing of it."""
    sizes, count = np.frombuffer(blocks.sizes, dtype=np.int64), len(blocks.own[0]) // 8 - 1
    graph, tied = blocks.graph(blocks.own, count), blocks.graph(blocks.tied, count)
    found = [] if method == "arrow" else [find_chain(sizes, graph, tied, np.zeros(0, dtype=np.int64))]
    if method != "chain":
        found += [find_chain(sizes, graph, tied, border) for border in _borders(graph, method == "arrow")]
    return min(found, key=lambda steps: steps.operations)


def _borders(graph: Graph, always: bool) -> list[Int[np.ndarray, " S"]]:
    """Return sets of blocks that have more neighbours than others: all with at least so many, for a few numbers."""
    degree = np.diff(graph.indptr)
    levels = np.unique(degree)[::-1]
    middle = np.median(degree) if degree.size else 0
    sets = [np.flatnonzero(degree >= level) for level in levels[:4] if level > 2 * middle and level > 4]
    return sets or ([np.argsort(-degree)[:1]] if always else [])


def _words(steps: ChainPartition) -> str:
    border = f", a border of {steps.border} unknowns" if steps.border else ""
    return f"{steps.count} steps of up to {steps.dimension} unknowns{border}, in order '{steps.order}'"


def _dense(n: int) -> float:
    return n**3 / 3


def _sparse(pattern: Pattern) -> float:
    """Guess: each unknown's column fills up to a few times its entries; a sparse operation costs as much as ten."""
    per = 2.0 * (pattern.rows.size + pattern.count) / max(pattern.count, 1)
    cost = 10.0 * pattern.count * (2.0 * per) ** 2 + 1e5
    return UNSAFE * cost if pattern.multipliers else cost
