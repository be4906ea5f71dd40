"""The calls of a tree, few of them, as each costs microseconds; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints
from screwgraph.optimize.incremental.affected import affected, gathered
from screwgraph.optimize.incremental.elimination import eliminated, made, shared_out, unmade
from screwgraph.optimize.incremental.grouping import grouped
from screwgraph.optimize.incremental.ordering import ordered
from screwgraph.optimize.incremental.records import Solution, TreeTables, Workspace
from screwgraph.optimize.incremental.substitution import beyond, solved_all, solved_for


def planned(tree: TreeTables, work: Workspace, touched: Ints, count: int, room: int, late: int) -> int:
    """Find the affected cliques, an order, and new cliques; return how much memory is used, or -1."""
    affected(tree, work, touched, count)
    used = gathered(tree, work, room)
    if used < 0:
        return -1
    used = ordered(tree, work, used, room, late)
    if used < 0:
        return -1
    grouped(tree, work, late)
    return used


def renewed(tree: TreeTables, work: Workspace, tiny: float) -> int:
    """Make what was planned; return 1, or 0 where an unknown is not determined."""
    unmade(tree, work)
    made(tree, work)
    shared_out(tree, work)
    return eliminated(tree, work, tiny)


def solved(tree: TreeTables, solution: Solution, far: Ints, threshold: float, limit: float) -> int:
    """Solve for all unknowns; return how many are beyond a limit."""
    changed = solved_all(tree, solution, threshold)
    return beyond(tree, solution, changed, far, limit)


def solved_in_part(
    tree: TreeTables, solution: Solution, far: Ints, wanted: Ints, n: int, threshold: float, limit: float
) -> int:
    """Solve for some unknowns; return how many are beyond a limit."""
    changed = solved_for(tree, solution, wanted, n, threshold)
    return beyond(tree, solution, changed, far, limit)


RENEWAL = (planned, renewed, solved, solved_in_part)
