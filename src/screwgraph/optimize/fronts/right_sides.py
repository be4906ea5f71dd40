"""Solution with fronts that are factored, for another J'r: up from the leaves, then down; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Reals, tail
from screwgraph.optimize.fronts.back_substitution import substitute_all
from screwgraph.optimize.fronts.elimination import place_unknowns
from screwgraph.optimize.fronts.front_cholesky import subtract_one
from screwgraph.optimize.fronts.tree_records import Solution, TreeTables, Workspace


def add_child_right(tree: TreeTables, x: Reals, c: int) -> None:
    """Add what is left of the J'r of a clique below."""
    block = tree.cliques[c].block
    m = tree.cliques[c].dim
    below = tail(tree.pool, block + tree.cliques[c].unknowns)
    column = tree.cliques[c].own_dim
    for b in range(tree.cliques[c].frontals, tree.cliques[c].unknowns):
        v = int(tree.pool[block + b])
        at = tree.unknowns[v].place
        for j in range(tree.unknowns[v].dim):
            x[at + j] = x[at + j] + below[(column + j) * (m + 1) + m]
        column = column + tree.unknowns[v].dim


def reduce_right(tree: TreeTables, x: Reals, right: Reals, c: int) -> None:
    """Eliminate a clique's own unknowns from J'r, those of the cliques below first."""
    block = tree.cliques[c].block
    size = tree.cliques[c].dim
    front = tail(tree.pool, block + tree.cliques[c].unknowns)
    at = 0
    for a in range(tree.cliques[c].frontals):
        v = int(tree.pool[block + a])
        for i in range(tree.unknowns[v].dim):
            x[at + i] = right[tree.unknowns[v].offset + i]
        at = at + tree.unknowns[v].dim
    for i in range(at, size):
        x[i] = 0.0
    below = tree.cliques[c].child
    while below >= 0:
        add_child_right(tree, x, below)
        below = tree.cliques[below].next
    for j in range(tree.cliques[c].own_dim):
        own = tail(front, j * (size + 1))
        x[j] = x[j] / own[j]
        subtract_one(tail(x, j + 1), tail(own, j + 1), x[j], size - j - 1)
    for i in range(size):
        front[i * (size + 1) + size] = x[i]
    tree.cliques[c].solved = 0


def solve_right(tree: TreeTables, work: Workspace, solution: Solution, right: Reals) -> None:
    """Solve for all unknowns with another J'r, in directions of all unknowns, by the cliques that were made last."""
    for back in range(tree.counters.supernodes):
        c = work.supernodes[tree.counters.supernodes - 1 - back].clique
        place_unknowns(tree, c)
        reduce_right(tree, solution.x, right, c)
    substitute_all(tree, solution, -1.0)


RIGHT_SIDES = (add_child_right, reduce_right, solve_right)
