"""In which order affected unknowns are eliminated anew; see `compiler.kernels`.

Approximate minimum degree on the quotient graph: Amestoy, Davis, Duff, An approximate minimum degree ordering algorithm
(1996). Unknowns that are late come last: Kaess et al., iSAM2 (2012), section 4. Memory is given from outside; a
negative result asks for more.
"""

from __future__ import annotations

from screwgraph.optimize.incremental.degree_queues import (
    LEAST,
    append_degree,
    insert_degrees,
    median_degree,
    push_degree,
    remove_degree,
)
from screwgraph.optimize.incremental.tree_records import TreeTables, Workspace


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
    for a in range(begin, used):
        u = work.members[a]
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
                    work.elements[e].outside = work.elements[e].length
                work.elements[e].outside = work.elements[e].outside - 1
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
    floor = median_degree(work, m)
    for d in range(m + LEAST + 1):
        work.queues[d].first = -1
        work.queues[d].last = -1
    insert_degrees(tree, work, m, 0, limit, floor)
    late = 0
    least = 0
    for place in range(m):
        while least < m + LEAST and work.queues[least].first < 0:
            least = least + 1
        if work.queues[least].first < 0 and late == 0:
            late = 1
            insert_degrees(tree, work, m, 1, limit, floor)
            least = 0
            while work.queues[least].first < 0:
                least = least + 1
        v = work.queues[least].first
        remove_degree(work.active, work.queues, v)
        begin = used
        used = gather_front(work, place, v, new, used, capacity)
        if used < 0:
            return -1
        width = used - begin
        for a in range(begin, used):
            u = work.members[a]
            degree = width - 1
            node = work.active[u].link
            while node >= 0:
                e = work.links[node].element
                if e != new:
                    degree = degree + work.elements[e].outside
                node = work.links[node].next
            if degree > m - place - 2:
                degree = m - place - 2
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


ORDERING = (gather_front, order_as_numbered, order_unknowns)
