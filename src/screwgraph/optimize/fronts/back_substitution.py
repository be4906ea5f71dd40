"""Solution from the roots down, where something has changed; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints, tail
from screwgraph.optimize.fronts.front_cholesky import substitute_front
from screwgraph.optimize.fronts.tree_records import Solution, TreeTables

LARGEST = 1e300
"""Directions beyond this are not finite."""


def is_stale(tree: TreeTables, c: int) -> int:
    """Tell whether a clique is new, or what it depends on has changed since it was solved."""
    then = tree.cliques[c].solved
    if then == 0:
        return 1
    block = tree.cliques[c].block
    for a in range(tree.cliques[c].frontals, tree.cliques[c].unknowns):
        if tree.unknowns[int(tree.pool[block + a])].changed > then:
            return 1
    return 0


def substitute_clique(tree: TreeTables, solution: Solution, c: int, threshold: float) -> int:
    """Solve for a clique's own unknowns; tell whether one of them changed by more than a threshold, else they stay."""
    block = tree.cliques[c].block
    own = tree.cliques[c].frontals
    count = tree.cliques[c].unknowns
    f = tree.cliques[c].own_dim
    m = tree.cliques[c].dim
    front = tail(tree.pool, block + count)
    at = f
    for a in range(own, count):
        v = int(tree.pool[block + a])
        for i in range(tree.unknowns[v].dim):
            solution.x[at + i] = solution.delta[tree.unknowns[v].offset + i]
        at = at + tree.unknowns[v].dim
    substitute_front(front, solution.x, f, m)
    most = 0.0
    at = 0
    for a in range(own):
        v = int(tree.pool[block + a])
        for i in range(tree.unknowns[v].dim):
            change = abs(solution.x[at + i] - solution.delta[tree.unknowns[v].offset + i])
            if not change <= most:
                most = change
        at = at + tree.unknowns[v].dim
    tree.cliques[c].solved = tree.counters.clock
    if most <= threshold:
        return 0
    at = 0
    for a in range(own):
        v = int(tree.pool[block + a])
        for i in range(tree.unknowns[v].dim):
            solution.delta[tree.unknowns[v].offset + i] = solution.x[at + i]
        at = at + tree.unknowns[v].dim
        tree.unknowns[v].changed = tree.counters.clock
    return 1


def substitute_if_stale(tree: TreeTables, solution: Solution, changed: int, c: int, threshold: float) -> int:
    """Solve for a clique's own unknowns where that is due; return how many cliques changed."""
    if is_stale(tree, c) == 1:
        tree.counters.clock = tree.counters.clock + 1
        if substitute_clique(tree, solution, c, threshold) == 1:
            solution.found[changed] = c
            changed = changed + 1
    return changed


def substitute_all(tree: TreeTables, solution: Solution, threshold: float) -> int:
    """Solve wherever it is due; return how many cliques changed, which are in `found`.

    Below cliques that were not solved since this was done last, nothing is due: they depend on all that those below do.
    """
    top = 0
    changed = 0
    since = tree.counters.full
    c = tree.cliques[0].child
    while c >= 0:
        solution.stack[top] = c
        top = top + 1
        c = tree.cliques[c].next
    while top > 0:
        top = top - 1
        c = solution.stack[top]
        changed = substitute_if_stale(tree, solution, changed, c, threshold)
        if tree.cliques[c].solved > since:
            c = tree.cliques[c].child
            while c >= 0:
                solution.stack[top] = c
                top = top + 1
                c = tree.cliques[c].next
    tree.counters.full = tree.counters.clock
    return changed


def substitute_some(tree: TreeTables, solution: Solution, wanted: Ints, n: int, threshold: float) -> int:
    """Solve for some unknowns only, and what they depend on; return how many cliques changed."""
    changed = 0
    for k in range(n):
        top = 0
        c = tree.unknowns[wanted[k]].clique
        while c > 0:
            solution.stack[top] = c
            top = top + 1
            c = tree.cliques[c].parent
        while top > 0:
            top = top - 1
            c = solution.stack[top]
            changed = substitute_if_stale(tree, solution, changed, c, threshold)
    return changed


def list_relinearised(tree: TreeTables, solution: Solution, changed: int, out: Ints, limit: float) -> int:
    """List the unknowns of changed cliques that are further than a limit from where their factors are linear."""
    count = 0
    tree.counters.lost = 0
    for k in range(changed):
        c = solution.found[k]
        block = tree.cliques[c].block
        for a in range(tree.cliques[c].frontals):
            v = int(tree.pool[block + a])
            far = 0
            for i in range(tree.unknowns[v].dim):
                size = abs(solution.delta[tree.unknowns[v].offset + i])
                if size > limit:
                    far = 1
                if not size <= LARGEST:
                    tree.counters.lost = 1
            if far == 1 and tree.unknowns[v].nonlinear > 0:
                out[count] = v
                count = count + 1
    return count


SUBSTITUTION = (
    is_stale,
    substitute_clique,
    substitute_if_stale,
    substitute_all,
    substitute_some,
    list_relinearised,
)
