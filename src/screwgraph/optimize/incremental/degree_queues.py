"""Unknowns by the number of their neighbours, as queues; see `compiler.kernels`.

Of equal degrees, the unknown that waited longest comes first: neighbours of what was eliminated go to the end, so that
trees of chains are balanced.
"""

from __future__ import annotations

from screwgraph.compiler.kernels import Table
from screwgraph.optimize.incremental.tree_records import ActiveUnknown, Element, Link, Queue, TreeTables, Workspace

LEAST = 2
"""Of neighbours that unknowns count as having, at least; see `median_degree`."""


def push_degree(active: Table[ActiveUnknown], queues: Table[Queue], k: int, floor: int) -> None:
    """Put an unknown before all others: it stands in the same factors as the one that was eliminated."""
    first = queues[floor].first
    active[k].degree = floor
    active[k].previous = -1
    active[k].next = first
    if first >= 0:
        active[first].previous = k
    else:
        queues[floor].last = k
    queues[floor].first = k


def append_degree(active: Table[ActiveUnknown], queues: Table[Queue], k: int, degree: int, floor: int) -> None:
    """Put an unknown at the end of those of its degree."""
    if degree < floor:
        degree = floor
    active[k].degree = degree
    last = queues[degree].last
    active[k].previous = last
    active[k].next = -1
    if last >= 0:
        active[last].next = k
    else:
        queues[degree].first = k
    queues[degree].last = k


def remove_degree(active: Table[ActiveUnknown], queues: Table[Queue], k: int) -> None:
    """Take an unknown out of those of its degree."""
    degree = active[k].degree
    before = active[k].previous
    after = active[k].next
    if before >= 0:
        active[before].next = after
    else:
        queues[degree].first = after
    if after >= 0:
        active[after].previous = before
    else:
        queues[degree].last = before
    active[k].previous = -2


def bound_degree(active: Table[ActiveUnknown], elements: Table[Element], links: Table[Link], k: int, m: int) -> int:
    """Return an upper bound of an unknown's neighbours."""
    degree = 0
    node = active[k].link
    while node >= 0:
        if elements[links[node].element].alive == 1:
            degree = degree + elements[links[node].element].length - 1
        node = links[node].next
    if degree > m - 1:
        degree = m - 1
    return degree


def insert_degrees(tree: TreeTables, work: Workspace, m: int, late: int, limit: int, floor: int) -> None:
    """Insert the unknowns of one group, early or late ones."""
    for k in range(m):
        is_late = 0
        if tree.unknowns[work.active[k].unknown].late == limit:
            is_late = 1
        if is_late == late and work.active[k].place < 0:
            append_degree(
                work.active, work.queues, k, bound_degree(work.active, work.elements, work.links, k, m), floor
            )


def median_degree(work: Workspace, m: int) -> int:
    """Return the median of degrees.

    Unknowns with fewer neighbours count as ones with so many: else chains were eliminated from end to end.
    """
    for d in range(m):
        work.active[d].supernode = 0
    for k in range(m):
        d = bound_degree(work.active, work.elements, work.links, k, m)
        work.active[d].supernode = work.active[d].supernode + 1
    d = 0
    below = 0
    while d < m - 1 and 2 * (below + work.active[d].supernode) < m:
        below = below + work.active[d].supernode
        d = d + 1
    if d < LEAST:
        d = LEAST
    return d


DEGREES = (push_degree, append_degree, remove_degree, bound_degree, insert_degrees, median_degree)
