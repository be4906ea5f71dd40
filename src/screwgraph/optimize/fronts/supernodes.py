"""Ordered unknowns become cliques, and how much memory these need; see `compiler.kernels`."""

from __future__ import annotations

from screwgraph.optimize.fronts.tree_records import TreeTables, Workspace

SMALL = 32
"""Directions of cliques that any unknown below may join: smaller ones cost more to visit than to compute."""
LOOSE = 8
"""Others may join where at most one in so many unknowns is not in their front: dense loops are faster by more."""


def size_class_of(size: int) -> int:
    """Return the class of blocks that a size fits in: four of them an octave, from 64 on."""
    octave = 64
    k = 0
    while octave * 2 < size:
        octave = octave * 2
        k = k + 4
    step = octave // 4
    while octave < size:
        octave = octave + step
        k = k + 1
    return k


def class_size(k: int) -> int:
    """Return how many numbers blocks of a class hold."""
    size = 64
    while k >= 4:
        size = size * 2
        k = k - 4
    return size + k * (size // 4)


def form_supernodes(tree: TreeTables, work: Workspace, late: int) -> None:
    """Gather ordered unknowns into cliques, roots first: those whose fronts are nearly the clique above.

    Late unknowns are touched again soon, so that what joins their cliques is eliminated again soon: none may but those
    that have to. Nor where unknowns go by their numbers, or from the ends of chains: along a chain of steps, fronts of
    one step are cheapest. `late` is negative then.
    Relaxed supernodes: Ashcraft and Grimes, The influence of relaxed supernode partitions on the multifrontal method
    (1989).
    """
    m = tree.counters.active
    count = 0
    for back in range(m):
        v = work.order[m - 1 - back]
        begin = work.active[v].start
        width = work.active[v].length
        dim = tree.unknowns[work.active[v].unknown].dim
        above = -1
        if width > 0:
            next_ = work.members[begin]
            for a in range(begin + 1, begin + width):
                if work.active[work.members[a]].place < work.active[next_].place:
                    next_ = work.members[a]
            above = work.active[next_].supernode
        is_late = 0
        if tree.unknowns[work.active[v].unknown].late == late:
            is_late = 1
        joins = 0
        if above >= 0:
            loose = work.supernodes[above].unknowns - width
            size = work.supernodes[above].dim + dim
            near = loose * LOOSE <= width or size <= SMALL
            if loose == 0 or (near and late > 0 and work.supernodes[above].late == 0):
                joins = 1
        if joins == 1:
            if is_late == 1:
                work.supernodes[above].late = 1
            work.supernodes[above].unknowns = work.supernodes[above].unknowns + 1
            work.supernodes[above].frontals = work.supernodes[above].frontals + 1
            work.supernodes[above].own_dim = work.supernodes[above].own_dim + dim
            work.supernodes[above].dim = work.supernodes[above].dim + dim
            work.active[v].supernode = above
        else:
            all_dim = dim
            for a in range(begin, begin + width):
                all_dim = all_dim + tree.unknowns[work.active[work.members[a]].unknown].dim
            work.supernodes[count].first = v
            work.supernodes[count].unknowns = width + 1
            work.supernodes[count].frontals = 1
            work.supernodes[count].own_dim = dim
            work.supernodes[count].dim = all_dim
            work.supernodes[count].parent = above
            work.supernodes[count].factor = -1
            work.supernodes[count].late = is_late
            work.active[v].supernode = count
            count = count + 1
    need = 0
    for g in range(count):
        M = work.supernodes[g].dim
        need = need + class_size(size_class_of(work.supernodes[g].unknowns + (M + 1) * M))
    tree.counters.supernodes = count
    tree.counters.need = need


GROUPING = (size_class_of, class_size, form_supernodes)
