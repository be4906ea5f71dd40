"""Which cliques are affected, and what stands together among their unknowns; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.compiler.kernels import Ints, Table
from screwgraph.optimize.fronts.tree_records import ActiveUnknown, Counters, Link, TreeTables, Unknown, Workspace


def mark_unknown(unknowns: Table[Unknown], active: Table[ActiveUnknown], counters: Counters, v: int) -> None:
    """Add an unknown to those that are eliminated, or let it stand alone where no factor touches it any more."""
    k = counters.active
    unknowns[v].mark = counters.mark
    if unknowns[v].incidence < 0:
        return
    counters.active = k + 1
    unknowns[v].active = k
    active[k].unknown = v
    active[k].link = -1
    active[k].tag = 0
    active[k].place = -1
    active[k].previous = -2


def mark_affected(tree: TreeTables, work: Workspace, touched: Ints, count: int) -> None:
    """Mark the cliques between unknowns and the roots, and gather their unknowns."""
    tree.counters.mark = tree.counters.mark + 1
    tree.counters.active = 0
    tree.counters.affected = 0
    now = tree.counters.mark
    for t in range(count):
        v = touched[t]
        if tree.unknowns[v].mark != now:
            c = tree.unknowns[v].clique
            if c < 0:
                mark_unknown(tree.unknowns, work.active, tree.counters, v)
            while c > 0 and tree.cliques[c].mark != now:
                tree.cliques[c].mark = now
                work.affected_cliques[tree.counters.affected] = c
                tree.counters.affected = tree.counters.affected + 1
                block = tree.cliques[c].block
                for k in range(tree.cliques[c].frontals):
                    u = int(tree.pool[block + k])
                    if tree.unknowns[u].mark != now:
                        mark_unknown(tree.unknowns, work.active, tree.counters, u)
                c = tree.cliques[c].parent


def add_to_element(active: Table[ActiveUnknown], links: Table[Link], k: int, element: int, node: int) -> None:
    """Tell an unknown of an element."""
    links[node].element = element
    links[node].next = active[k].link
    active[k].link = node


def gather_elements(tree: TreeTables, work: Workspace, capacity: int) -> int:
    """Make elements of factors among the marked unknowns, and of subtrees below them; return the memory used."""
    now = tree.counters.mark
    used = 0
    count = 0
    tree.counters.orphans = 0
    tree.counters.factors = 0
    for k in range(tree.counters.active):
        i = tree.unknowns[work.active[k].unknown].incidence
        while i >= 0:
            f = tree.incidences[i].factor
            i = tree.incidences[i].next
            if tree.factors[f].mark != now:
                tree.factors[f].mark = now
                first = tree.factors[f].incidence
                width = tree.factors[f].arity
                if used + width > capacity:
                    return -1
                inside = 1
                for a in range(width):
                    u = tree.incidences[first + a].unknown
                    if tree.unknowns[u].mark != now:
                        inside = 0
                        break
                    work.members[used + a] = tree.unknowns[u].active
                if inside == 1:
                    work.tops[tree.counters.factors] = f
                    tree.counters.factors = tree.counters.factors + 1
                    if width > 1:
                        work.elements[count].start = used
                        work.elements[count].length = width
                        count = count + 1
                        used = used + width
    for q in range(tree.counters.affected):
        c = tree.cliques[work.affected_cliques[q]].child
        while c >= 0:
            if tree.cliques[c].mark != now:
                work.orphans[tree.counters.orphans] = c
                tree.counters.orphans = tree.counters.orphans + 1
                block = tree.cliques[c].block
                own = tree.cliques[c].frontals
                width = tree.cliques[c].unknowns - own
                if used + width > capacity:
                    return -1
                for a in range(width):
                    u = int(tree.pool[block + own + a])
                    work.members[used + a] = tree.unknowns[u].active
                work.elements[count].start = used
                work.elements[count].length = width
                count = count + 1
                used = used + width
            c = tree.cliques[c].next
    if used > capacity:
        return -1
    node = 0
    for e in range(count):
        work.elements[e].alive = 1
        work.elements[e].tag = 0
        for a in range(work.elements[e].length):
            add_to_element(work.active, work.links, work.members[work.elements[e].start + a], e, node)
            node = node + 1
    tree.counters.need = count
    return used


AFFECTED_CLIQUES = (mark_unknown, mark_affected, add_to_element, gather_elements)
