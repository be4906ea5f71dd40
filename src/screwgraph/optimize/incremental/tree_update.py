"""The calls of a tree, few of them, as each costs microseconds; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints
from screwgraph.optimize.incremental.affected_cliques import gather_elements, mark_affected
from screwgraph.optimize.incremental.back_substitution import list_relinearised, substitute_all, substitute_some
from screwgraph.optimize.incremental.elimination import assign_factors, eliminate_cliques, make_cliques, remove_cliques
from screwgraph.optimize.incremental.min_degree_ordering import order_unknowns
from screwgraph.optimize.incremental.supernodes import form_supernodes
from screwgraph.optimize.incremental.tree_records import Solution, TreeTables, Workspace


def plan_update(tree: TreeTables, work: Workspace, touched: Ints, count: int, capacity: int, late: int) -> int:
    """Find the affected cliques, an order, and new cliques; return how much memory is used, or -1."""
    mark_affected(tree, work, touched, count)
    used = gather_elements(tree, work, capacity)
    if used < 0:
        return -1
    used = order_unknowns(tree, work, used, capacity, late)
    if used < 0:
        return -1
    form_supernodes(tree, work, late)
    return used


def apply_update(tree: TreeTables, work: Workspace, tiny: float) -> int:
    """Make what was planned; return 1, or 0 where an unknown is not determined."""
    remove_cliques(tree, work)
    make_cliques(tree, work)
    assign_factors(tree, work)
    return eliminate_cliques(tree, work, tiny)


def solve_all_unknowns(tree: TreeTables, solution: Solution, far: Ints, threshold: float, limit: float) -> int:
    """Solve for all unknowns; return how many are beyond a limit."""
    changed = substitute_all(tree, solution, threshold)
    return list_relinearised(tree, solution, changed, far, limit)


def solve_some_unknowns(
    tree: TreeTables, solution: Solution, far: Ints, wanted: Ints, n: int, threshold: float, limit: float
) -> int:
    """Solve for some unknowns; return how many are beyond a limit."""
    changed = substitute_some(tree, solution, wanted, n, threshold)
    return list_relinearised(tree, solution, changed, far, limit)


RENEWAL = (plan_update, apply_update, solve_all_unknowns, solve_some_unknowns)
