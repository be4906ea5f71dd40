"""In which order affected unknowns are eliminated anew; see `compiler.kernels`.

Approximate minimum degree on the quotient graph: Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm
(1996). From the ends of chains, degrees count directions: positions of a quadruped are worth six contact forces.
Unknowns that are late come last: Kaess et al., iSAM2 (2012), section 4. Memory is given from outside; a
negative result asks for more. Of equal degrees, the unknown that waited longest comes first: neighbours of what was
eliminated go to the end of its queue, so that trees of chains are balanced: few cliques then stand between an unknown
and the root. That doubles the operations of a chain; trees that are factored as a whole may go by plain degrees.
"""

from __future__ import annotations

from screwgraph.compiler.kernels import Table
from screwgraph.optimize.fronts.tree_records import (
    FROM_ENDS,
    ActiveUnknown,
    Element,
    Link,
    Queue,
    TreeTables,
    Workspace,
)

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


def bound_degree(active: Table[ActiveUnknown], elements: Table[Element], links: Table[Link], k: int, most: int) -> int:
    """Return an upper bound of the weight of an unknown's neighbours; `most` is that of all unknowns."""
    degree = 0
    node = active[k].link
    while node >= 0:
        if elements[links[node].element].alive == 1:
            degree = degree + elements[links[node].element].weight - active[k].weight
        node = links[node].next
    if degree > most - active[k].weight:
        degree = most - active[k].weight
    return degree


def weigh_unknowns(tree: TreeTables, work: Workspace, limit: int) -> int:
    """Write weights of unknowns and elements; return their sum.

    From the ends of chains, where the fewest operations count, a direction counts as one, else an unknown does.
    """
    total = 0
    for k in range(tree.counters.active):
        work.active[k].weight = 1
        if limit == FROM_ENDS:
            work.active[k].weight = tree.unknowns[work.active[k].unknown].dim
        total = total + work.active[k].weight
    for e in range(tree.counters.need):
        weight = 0
        for a in range(work.elements[e].start, work.elements[e].start + work.elements[e].length):
            weight = weight + work.active[work.members[a]].weight
        work.elements[e].weight = weight
    return total


def insert_degrees(tree: TreeTables, work: Workspace, most: int, late: int, limit: int, floor: int) -> None:
    """Insert the unknowns of one group, early or late ones; `most` is the weight of all."""
    for k in range(tree.counters.active):
        is_late = 0
        if tree.unknowns[work.active[k].unknown].late == limit:
            is_late = 1
        if is_late == late and work.active[k].place < 0:
            append_degree(
                work.active, work.queues, k, bound_degree(work.active, work.elements, work.links, k, most), floor
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


def gather_front(work: Workspace, place: int, v: int, new: int, used: int, capacity: int) -> int:
    """Gather the front of the unknown at a place of the ordering: element `new`, which absorbs those that it stands in.

    Return how much of W is used, or -1.
    """
    tag = place + 2
    begin = used
    work.active[v].tag = tag
    node = work.active[v].link
    while node >= 0:
        e = work.links[node].element
        if work.elements[e].alive == 1:
            work.elements[e].alive = 0
            if used + work.elements[e].length > capacity:
                return -1
            for a in range(work.elements[e].start, work.elements[e].start + work.elements[e].length):
                u = work.members[a]
                if work.active[u].tag != tag:
                    work.active[u].tag = tag
                    work.members[used] = u
                    used = used + 1
        node = work.links[node].next
    work.order[place] = v
    work.active[v].place = place
    work.active[v].start = begin
    work.active[v].length = used - begin
    work.elements[new].start = begin
    work.elements[new].length = used - begin
    work.elements[new].alive = 1
    work.elements[new].tag = 0
    work.elements[new].weight = 0
    for a in range(begin, used):
        u = work.members[a]
        work.elements[new].weight = work.elements[new].weight + work.active[u].weight
        node = work.active[u].link
        kept = -1
        spare = -1
        while node >= 0:
            following = work.links[node].next
            e = work.links[node].element
            if work.elements[e].alive == 1:
                work.links[node].next = kept
                kept = node
                if work.elements[e].tag != tag:
                    work.elements[e].tag = tag
                    work.elements[e].outside = work.elements[e].weight
                work.elements[e].outside = work.elements[e].outside - work.active[u].weight
            else:
                spare = node
            node = following
        work.links[spare].element = new
        work.links[spare].next = kept
        work.active[u].link = spare
    return used


def order_as_numbered(tree: TreeTables, work: Workspace, used: int, capacity: int) -> int:
    """Order the marked unknowns by their numbers, with the front of each in W; return how much of W is used, or -1."""
    for k in range(tree.counters.active):
        place = k
        while place > 0 and work.active[work.order[place - 1]].unknown > work.active[k].unknown:
            work.order[place] = work.order[place - 1]
            place = place - 1
        work.order[place] = k
    for place in range(tree.counters.active):
        used = gather_front(work, place, work.order[place], tree.counters.need + place, used, capacity)
        if used < 0:
            return -1
    return used


def order_unknowns(tree: TreeTables, work: Workspace, used: int, capacity: int, limit: int) -> int:
    """Order the marked unknowns, with the front of each in W; return how much of W is used, or -1."""
    m = tree.counters.active
    new = tree.counters.need
    left = weigh_unknowns(tree, work, limit)
    most = left
    floor = 0
    if limit != FROM_ENDS:
        floor = median_degree(work, m)
    for d in range(most + LEAST + 1):
        work.queues[d].first = -1
        work.queues[d].last = -1
    insert_degrees(tree, work, most, 0, limit, floor)
    late = 0
    least = 0
    for place in range(m):
        while least < most + LEAST and work.queues[least].first < 0:
            least = least + 1
        if work.queues[least].first < 0 and late == 0:
            late = 1
            insert_degrees(tree, work, most, 1, limit, floor)
            least = 0
            while work.queues[least].first < 0:
                least = least + 1
        v = work.queues[least].first
        remove_degree(work.active, work.queues, v)
        begin = used
        used = gather_front(work, place, v, new, used, capacity)
        if used < 0:
            return -1
        width = work.elements[new].weight
        left = left - work.active[v].weight
        for a in range(begin, used):
            u = work.members[a]
            degree = width - work.active[u].weight
            node = work.active[u].link
            while node >= 0:
                e = work.links[node].element
                if e != new:
                    degree = degree + work.elements[e].outside
                node = work.links[node].next
            if degree > left - work.active[u].weight:
                degree = left - work.active[u].weight
            if work.active[u].previous != -2:
                remove_degree(work.active, work.queues, u)
                if work.links[work.active[u].link].next < 0:
                    push_degree(work.active, work.queues, u, floor)
                else:
                    append_degree(work.active, work.queues, u, degree, floor)
                if work.active[u].degree < least:
                    least = work.active[u].degree
        new = new + 1
    return used


ORDERING = (
    push_degree,
    append_degree,
    remove_degree,
    bound_degree,
    insert_degrees,
    weigh_unknowns,
    median_degree,
    gather_front,
    order_as_numbered,
    order_unknowns,
)
