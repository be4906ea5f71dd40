"""The calls of a tree, few of them, as each costs microseconds; see `backends.llvm.loops`."""

from __future__ import annotations

from screwgraph.compiler.backends.llvm.loops import Ints, Reals
from screwgraph.optimize.incremental.affected import affected, gathered
from screwgraph.optimize.incremental.elimination import eliminated, made, shared_out, unmade
from screwgraph.optimize.incremental.grouping import grouped
from screwgraph.optimize.incremental.ordering import ordered
from screwgraph.optimize.incremental.substitution import beyond, solved_all, solved_for


def planned(
    V: Ints, C: Ints, A: Ints, K: Ints, L: Ints, S: Ints, E: Ints, W: Ints, N: Ints, B: Ints, G: Ints, pool: Reals,
    data: Reals, cliques: Ints, orphans: Ints, tops: Ints, order: Ints, touched: Ints, count: int, room: int,
    late: int,
) -> int:  # fmt: skip
    """Find the affected cliques, an order, and new cliques; return how much memory is used, or -1."""
    affected(V, C, L, S, pool, touched, count, cliques)
    used = gathered(V, C, A, K, L, S, E, W, N, pool, cliques, orphans, tops, room)
    if used < 0:
        return -1
    used = ordered(V, L, S, E, W, N, B, order, used, room, late)
    if used < 0:
        return -1
    grouped(V, L, S, W, G, order, late)
    return used


def renewed(
    V: Ints, C: Ints, A: Ints, K: Ints, L: Ints, S: Ints, E: Ints, W: Ints, N: Ints, B: Ints, G: Ints, pool: Reals,
    data: Reals, cliques: Ints, orphans: Ints, tops: Ints, order: Ints, tiny: float,
) -> int:  # fmt: skip
    """Make what was planned; return 1, or 0 where an unknown is not determined."""
    unmade(V, C, S, pool, cliques)
    made(V, C, L, S, W, G, pool, order, orphans)
    shared_out(V, L, S, G, A, K, tops)
    return eliminated(V, C, A, K, S, G, pool, data, tiny)


def solved(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, stack: Ints, found: Ints, far: Ints,
    threshold: float, limit: float,
) -> int:  # fmt: skip
    """Solve for all unknowns; return how many are beyond a limit."""
    changed = solved_all(V, C, S, pool, delta, x, stack, found, threshold)
    return beyond(V, C, S, pool, delta, found, changed, far, limit)


def solved_in_part(
    V: Ints, C: Ints, S: Ints, pool: Reals, delta: Reals, x: Reals, stack: Ints, found: Ints, far: Ints,
    wanted: Ints, n: int, threshold: float, limit: float,
) -> int:  # fmt: skip
    """Solve for some unknowns; return how many are beyond a limit."""
    changed = solved_for(V, C, S, pool, delta, x, stack, found, wanted, n, threshold)
    return beyond(V, C, S, pool, delta, found, changed, far, limit)


RENEWAL = (planned, renewed, solved, solved_in_part)
