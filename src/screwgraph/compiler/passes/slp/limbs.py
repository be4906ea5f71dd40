"""Which inputs of a program belong to equal limbs, found from what depends on what."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from itertools import combinations

from screwgraph.tape import LEAVES, Program

Limb = tuple[int, ...]
"""Places of inputs, in the program's order."""
Family = tuple[Limb, ...]
"""Limbs of equal inputs, two or more."""
ALIKE = (1.3, 1.04)
"""By what factors the numbers of operations of equal limbs may differ, one tried after the other.

Common subexpressions are not the same in all; where few operations pair, such as those of fingers with those of a
thumb, limbs are to be more alike.
"""
MOST = 8
"""Equal limbs beyond so many are left alone: no processor has vectors that hold more."""

LEAST = 0.15
"""Limbs that could spare a smaller part of all operations are left alone."""
LARGEST = 2_000_000
"""Pairs of joints, for all sets of them on which operations depend, up to which limbs are looked for: a second."""


def find_equal_limbs(program: Program, alike: float = ALIKE[0]) -> Sequence[Family]:
    """Return families of equal limbs, whose numbers of operations differ by a factor `alike` at most.

    Operations of a limb depend on its inputs, and on no other limb's.

    Joints are clustered by how many operations depend on both of two, of those that depend on either: joints of a limb
    share most, those of the trunk some, those of different limbs few. Of all clusters on the way from single joints to
    one, those are taken that leave most operations to equal limbs. Of very many joints, none are
    looked for; where little could be gained, there are none.
    """
    joint, places = _joints(program.input_names)
    sets = _dependences(program, joint)
    if sum(found.bit_count() ** 2 for found in sets) > LARGEST:
        return ()
    best, most = (), 0.0
    for clusters in _clusterings(len(places), sets):
        families = _families(clusters, places, program.input_names, sets, alike)
        gain = sum(min(counts) * (len(counts) - 1) for _, counts in families)
        if gain > most:
            best, most = tuple(family for family, _ in families), gain
    return best if most > LEAST * sum(sets.values()) else ()


def _joints(names: Sequence[str]) -> tuple[list[int], list[list[int]]]:
    """Return the joint of each input, a number, and the places of each joint's inputs: "q:knee[0]" is the knee's."""
    number: dict[str, int] = {}
    joint = [number.setdefault(name.partition(":")[2].rpartition("[")[0] or name, len(number)) for name in names]
    places: list[list[int]] = [[] for _ in number]
    for place, k in enumerate(joint):
        places[k].append(place)
    return joint, places


def _dependences(program: Program, joint: Sequence[int]) -> Mapping[int, int]:
    """Return how many operations depend on each set of joints, as bits."""
    depends, sets = list[int](), Counter[int]()
    for operation, *operands in program.instructions:
        if operation in LEAVES:
            depends.append(1 << joint[operands[0]] if operation == "input" else 0)
            continue
        found = 0
        for o in operands:
            found |= depends[o]
        depends.append(found)
        sets[found] += operation != "neg"
    return sets


def _clusterings(count: int, sets: Mapping[int, int]) -> Iterator[list[int]]:
    """Yield clusters of joints, as bits, merged where two share most of what depends on either (single linkage)."""
    together = [[0] * count for _ in range(count)]
    for found, times in sets.items():
        members = [k for k in range(count) if found >> k & 1]
        for a in members:
            row = together[a]
            for b in members:
                row[b] += times
    pairs = [
        (-together[a][b] / (together[a][a] + together[b][b] - together[a][b]), a, b)
        for a, b in combinations(range(count), 2)
        if together[a][b]
    ]
    home, clusters, last = list(range(count)), {k: 1 << k for k in range(count)}, None
    yield list(clusters.values())
    for share, a, b in sorted(pairs):
        keep, gone = sorted((home[a], home[b]))
        if keep == gone:
            continue
        if last is not None and share != last:
            yield list(clusters.values())
        last = share
        clusters[keep] |= clusters.pop(gone)
        home = [keep if k == gone else k for k in home]
    yield list(clusters.values())


def _families(
    clusters: Sequence[int],
    places: Sequence[Sequence[int]],
    names: Sequence[str],
    sets: Mapping[int, int],
    alike: float,
) -> list[tuple[Family, list[int]]]:
    """Return the families among clusters, each with the numbers of operations of its limbs."""
    by_inputs: defaultdict[tuple[str, ...], list[tuple[Limb, int]]] = defaultdict(list)
    for cluster in clusters:
        limb = tuple(sorted(place for k, own in enumerate(places) if cluster >> k & 1 for place in own))
        by_inputs[tuple(names[place].partition(":")[0] for place in limb)].append((limb, cluster))
    several = [limbs for limbs in by_inputs.values() if len(limbs) > 1]
    every = 0
    for limbs in several:
        for _, cluster in limbs:
            every |= cluster
    own = Counter[int]()
    for found, times in sets.items():
        own[found & every] += times
    families = list[tuple[Family, list[int]]]()
    for limbs in several:
        counted = sorted((sum(n for found, n in own.items() if found and not found & ~c), limb) for limb, c in limbs)
        group = list[tuple[int, Limb]]()
        for each in [*counted, (0, ())]:
            if group and (not each[1] or each[0] > alike * group[0][0]):
                if 1 < len(group) <= MOST:
                    families.append((tuple(sorted(limb for _, limb in group)), [n for n, _ in group]))
                group = []
            if each[0]:
                group.append(each)
    return families
