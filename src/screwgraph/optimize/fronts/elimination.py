"""Affected cliques are unmade, and made anew from factors and from what is left below; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Reals, Table, tail
from screwgraph.optimize.fronts.front_cholesky import factor_front
from screwgraph.optimize.fronts.supernodes import class_size, size_class_of
from screwgraph.optimize.fronts.tree_records import Clique, Counters, TreeTables, Workspace


def link_clique(cliques: Table[Clique], c: int, parent: int) -> None:
    """Put a clique below another one."""
    first = cliques[parent].child
    cliques[c].parent = parent
    cliques[c].next = first
    cliques[c].previous = -1
    if first >= 0:
        cliques[first].previous = c
    cliques[parent].child = c


def remove_cliques(tree: TreeTables, work: Workspace) -> None:
    """Give back the memory of affected cliques."""
    for q in range(tree.counters.affected):
        c = work.affected_cliques[q]
        for a in range(tree.cliques[c].frontals):
            tree.unknowns[int(tree.pool[tree.cliques[c].block + a])].clique = -1
        if tree.cliques[c].parent == 0:
            before = tree.cliques[c].previous
            after = tree.cliques[c].next
            if before >= 0:
                tree.cliques[before].next = after
            else:
                tree.cliques[0].child = after
            if after >= 0:
                tree.cliques[after].previous = before
        kind = tree.cliques[c].size_class
        tree.pool[tree.cliques[c].block] = float(tree.counters.free_blocks[kind])
        tree.counters.free_blocks[kind] = tree.cliques[c].block
        tree.cliques[c].next = tree.counters.free_clique
        tree.cliques[c].child = -1
        tree.counters.free_clique = c


def take_block(counters: Counters, pool: Reals, kind: int) -> int:
    """Return a block of a class."""
    block = counters.free_blocks[kind]
    if block >= 0:
        counters.free_blocks[kind] = int(pool[block])
    else:
        block = counters.used_pool
        counters.used_pool = block + class_size(kind)
    return block


def make_cliques(tree: TreeTables, work: Workspace) -> None:
    """Make cliques, roots first, with the lists of their unknowns; orphans get their new parents."""
    for g in range(tree.counters.supernodes):
        c = tree.counters.free_clique
        if c >= 0:
            tree.counters.free_clique = tree.cliques[c].next
        else:
            c = tree.counters.used_cliques
            tree.counters.used_cliques = c + 1
        size = work.supernodes[g].dim
        kind = size_class_of(work.supernodes[g].unknowns + (size + 1) * size)
        block = take_block(tree.counters, tree.pool, kind)
        tree.cliques[c].child = -1
        tree.cliques[c].size_class = kind
        tree.cliques[c].block = block
        tree.cliques[c].frontals = 0
        tree.cliques[c].unknowns = work.supernodes[g].unknowns
        tree.cliques[c].own_dim = work.supernodes[g].own_dim
        tree.cliques[c].dim = size
        work.supernodes[g].clique = c
        above = work.supernodes[g].parent
        if above >= 0:
            link_clique(tree.cliques, c, work.supernodes[above].clique)
        else:
            link_clique(tree.cliques, c, 0)
        v = work.supernodes[g].first
        own = work.supernodes[g].frontals
        for a in range(work.active[v].length):
            u = work.members[work.active[v].start + a]
            tree.pool[block + own + a] = float(work.active[u].unknown)
    for place in range(tree.counters.active):
        k = work.order[place]
        g = work.active[k].supernode
        c = work.supernodes[g].clique
        v = work.active[k].unknown
        tree.unknowns[v].clique = c
        tree.pool[tree.cliques[c].block + tree.cliques[c].frontals] = float(v)
        tree.cliques[c].frontals = tree.cliques[c].frontals + 1
    for o in range(tree.counters.orphans):
        c = work.orphans[o]
        block = tree.cliques[c].block
        lowest = -1
        for a in range(tree.cliques[c].frontals, tree.cliques[c].unknowns):
            k = tree.unknowns[int(tree.pool[block + a])].active
            if lowest < 0 or work.active[k].place < work.active[lowest].place:
                lowest = k
        link_clique(tree.cliques, c, work.supernodes[work.active[lowest].supernode].clique)


def assign_factors(tree: TreeTables, work: Workspace) -> None:
    """Give each factor to the clique of the first of its unknowns."""
    for t in range(tree.counters.factors):
        f = work.tops[t]
        lowest = -1
        for a in range(tree.factors[f].arity):
            k = tree.unknowns[tree.incidences[tree.factors[f].incidence + a].unknown].active
            if lowest < 0 or work.active[k].place < work.active[lowest].place:
                lowest = k
        g = work.active[lowest].supernode
        tree.factors[f].next = work.supernodes[g].factor
        work.supernodes[g].factor = f


def add_factor(tree: TreeTables, front: Reals, size: int, f: int) -> None:
    """Add a factor's J'J and J'r, which stand as a front, to a clique's."""
    first = tree.factors[f].incidence
    count = tree.factors[f].arity
    k = tree.factors[f].dim
    own = tail(tree.data, tree.factors[f].numbers)
    column = 0
    for b in range(count):
        v = tree.incidences[first + b].unknown
        at = tree.unknowns[v].place
        for j in range(tree.unknowns[v].dim):
            source = tail(own, (column + j) * (k + 1))
            J = at + j
            front[J * (size + 1) + size] = front[J * (size + 1) + size] + source[k]
            row = column
            for a in range(b, count):
                u = tree.incidences[first + a].unknown
                to = tree.unknowns[u].place
                start = 0
                if a == b:
                    start = j
                if to >= at:
                    for i in range(start, tree.unknowns[u].dim):
                        front[J * (size + 1) + to + i] = front[J * (size + 1) + to + i] + source[row + i]
                else:
                    for i in range(start, tree.unknowns[u].dim):
                        front[(to + i) * (size + 1) + J] = front[(to + i) * (size + 1) + J] + source[row + i]
                row = row + tree.unknowns[u].dim
        column = column + tree.unknowns[v].dim


def add_child(tree: TreeTables, front: Reals, size: int, c: int) -> None:
    """Add what is left of a clique below."""
    block = tree.cliques[c].block
    count = tree.cliques[c].unknowns
    m = tree.cliques[c].dim
    below = tail(tree.pool, block + count)
    column = tree.cliques[c].own_dim
    for b in range(tree.cliques[c].frontals, count):
        v = int(tree.pool[block + b])
        at = tree.unknowns[v].place
        width = tree.unknowns[v].dim
        for j in range(width):
            J = (at + j) * (size + 1)
            own = (column + j) * (m + 1)
            front[J + size] = front[J + size] + below[own + m]
            for i in range(j, width):
                front[J + at + i] = front[J + at + i] + below[own + column + i]
        row = column + width
        for a in range(b + 1, count):
            u = int(tree.pool[block + a])
            to = tree.unknowns[u].place
            height = tree.unknowns[u].dim
            if to > at:
                for j in range(width):
                    target = (at + j) * (size + 1) + to
                    own = (column + j) * (m + 1) + row
                    for i in range(height):
                        front[target + i] = front[target + i] + below[own + i]
            else:
                for j in range(width):
                    target = to * (size + 1) + at + j
                    own = (column + j) * (m + 1) + row
                    for i in range(height):
                        front[target + i * (size + 1)] = front[target + i * (size + 1)] + below[own + i]
            row = row + height
        column = column + width


def clear_front(tree: TreeTables, c: int) -> None:
    """Write zeros to a clique's front."""
    front = tail(tree.pool, tree.cliques[c].block + tree.cliques[c].unknowns)
    for i in range((tree.cliques[c].dim + 1) * tree.cliques[c].dim):
        front[i] = 0.0


def place_unknowns(tree: TreeTables, c: int) -> None:
    """Tell unknowns their first rows in a clique's front."""
    at = 0
    for a in range(tree.cliques[c].unknowns):
        v = int(tree.pool[tree.cliques[c].block + a])
        tree.unknowns[v].place = at
        at = at + tree.unknowns[v].dim


def factor_clique(tree: TreeTables, c: int, tiny: float) -> int:
    """Add what is left of cliques below to a front, and factor it; return 1, or 0 where an unknown is not determined.

    Its unknowns know their places.
    """
    size = tree.cliques[c].dim
    tree.cliques[c].solved = 0
    front = tail(tree.pool, tree.cliques[c].block + tree.cliques[c].unknowns)
    below = tree.cliques[c].child
    while below >= 0:
        add_child(tree, front, size, below)
        below = tree.cliques[below].next
    bad = factor_front(front, tree.cliques[c].own_dim, size, tiny)
    if bad < 0:
        tree.counters.made = tree.counters.made + 1
        return 1
    for a in range(tree.cliques[c].unknowns):
        v = int(tree.pool[tree.cliques[c].block + a])
        if tree.unknowns[v].place <= bad:
            tree.counters.bad = v
            tree.counters.bad_direction = tree.unknowns[v].offset + bad - tree.unknowns[v].place
    return 0


def eliminate_cliques(tree: TreeTables, work: Workspace, tiny: float) -> int:
    """Assemble and factor the new cliques, leaves first; return 1, or 0 where an unknown is not determined."""
    tree.counters.made = 0
    for back in range(tree.counters.supernodes):
        g = tree.counters.supernodes - 1 - back
        c = work.supernodes[g].clique
        clear_front(tree, c)
        place_unknowns(tree, c)
        front = tail(tree.pool, tree.cliques[c].block + tree.cliques[c].unknowns)
        f = work.supernodes[g].factor
        while f >= 0:
            add_factor(tree, front, tree.cliques[c].dim, f)
            f = tree.factors[f].next
        if factor_clique(tree, c, tiny) == 0:
            return 0
    return 1


def clear_fronts(tree: TreeTables, work: Workspace) -> None:
    """Write zeros to the fronts of the cliques that were made last."""
    for g in range(tree.counters.supernodes):
        clear_front(tree, work.supernodes[g].clique)


def factor_fronts(tree: TreeTables, work: Workspace, tiny: float) -> int:
    """Factor the cliques that were made last, whose fronts hold what their factors say; return as `factor_clique`."""
    tree.counters.made = 0
    for back in range(tree.counters.supernodes):
        c = work.supernodes[tree.counters.supernodes - 1 - back].clique
        place_unknowns(tree, c)
        if factor_clique(tree, c, tiny) == 0:
            return 0
    return 1


ELIMINATION = (
    link_clique,
    remove_cliques,
    take_block,
    make_cliques,
    assign_factors,
    add_factor,
    add_child,
    clear_front,
    place_unknowns,
    factor_clique,
    eliminate_cliques,
    clear_fronts,
    factor_fronts,
)
