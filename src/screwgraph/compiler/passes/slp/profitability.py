"""Which packs pay: moving values between lanes costs instructions, too."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.passes.slp.pack_selection import Pack
from screwgraph.compiler.passes.slp.sign_normal_form import SignNormalForm

ROUNDS = 30
"""After so many rounds few packs are taken out, if any."""
GAIN = 1.2
"""Code with a fifth fewer instructions was faster on all robots that were measured."""


@dataclass(frozen=True)
class PackDemand:
    """Demand of outputs: packs, values computed `alone`, values taken out of packs, and vectors made of single values.

    `homes` say in which pack, and which lane, a value stands that is taken out.
    """

    operands: Mapping[Pack, Sequence[Pack]]
    packs: Collection[Pack]
    alone: Collection[int]
    taken: Collection[int]
    made: Collection[Pack]
    homes: Mapping[int, tuple[Pack, int]]

    def source(self, value: int) -> int | Pack:
        """Return what computes a value."""
        return value if value in self.alone else self.homes[value][0]


def find_demand(normal: SignNormalForm, packs: Mapping[Pack, Sequence[Pack]]) -> PackDemand:
    """Return what the outputs need."""
    homes: dict[int, tuple[Pack, int]] = {}
    for pack in packs:
        for lane, value in enumerate(pack):
            homes.setdefault(value, (pack, lane))
    kept, alone, taken, made = dict[Pack, None](), dict[int, None](), dict[int, None](), dict[Pack, None]()
    stack: list[int | Pack] = [output[0] for output in normal.outputs if isinstance(output, tuple)]
    while stack:
        unit = stack.pop()
        if isinstance(unit, tuple):
            if unit in packs:
                if unit not in kept:
                    kept[unit] = None
                    stack += packs[unit]
            elif unit not in made and any(normal.kinds[value] != "constant" for value in unit):
                made[unit] = None
                stack += dict.fromkeys(unit)
        elif normal.is_computed[unit] and unit not in taken and unit not in alone:
            if unit in homes:
                taken[unit] = None
                stack.append(homes[unit][0])
            else:
                alone[unit] = None
                stack += [value for value, _ in normal.operands[unit]]
    return PackDemand(packs, kept, alone, taken, made, homes)


def drop_unprofitable(
    normal: SignNormalForm, packs: Mapping[Pack, Sequence[Pack]], width: int
) -> Mapping[Pack, Sequence[Pack]]:
    """Return the packs that are left when those that move more than they save are taken out.

    Vectors of the processor hold `width` numbers.
    """
    left = dict(packs)
    for _ in range(ROUNDS):
        needed = find_demand(normal, left)
        left = {pack: left[pack] for pack in needed.packs}
        users = Counter(operand for pack in left for operand in set(left[pack]))
        lost = [pack for pack in left if _pack_cost(needed, pack, users, width) > _scalar_cost(needed, pack, users)]
        if not lost:
            break
        for pack in lost:
            del left[pack]
    return left


def is_profitable(normal: SignNormalForm, needed: PackDemand, width: int) -> bool:
    """Return whether code takes fewer instructions by `GAIN` than all operations one by one."""
    moved = sum(_making(vector) for vector in needed.made) + sum(needed.homes[i][1] > 0 for i in needed.taken)
    done = sum(-(-len(pack) // width) for pack in needed.packs) + len(needed.alone)
    return sum(normal.is_computed) >= GAIN * (done + moved)


def _making(vector: Pack) -> int:
    """Return what it costs to make a vector of single values."""
    return 1 if len(set(vector)) == 1 else len(vector) - 1


def _pack_cost(needed: PackDemand, pack: Pack, users: Mapping[Pack, int], width: int) -> int:
    """Return what an operation costs as a pack, with what is moved for it alone."""
    operands = dict.fromkeys(needed.operands[pack])
    moved = sum(_making(each) for each in operands if each in needed.made and users[each] == 1)
    taken = sum(
        value in needed.taken and needed.homes[value] == (pack, lane) for lane, value in enumerate(pack) if lane
    )
    return -(-len(pack) // width) + moved + taken


def _scalar_cost(needed: PackDemand, pack: Pack, users: Mapping[Pack, int]) -> int:
    """Return what it costs as single operations, with what is moved for them alone."""
    operands = dict.fromkeys(needed.operands[pack])
    moved = sum(value not in needed.taken for each in operands if each in needed.packs for value in each[1:])
    return len(set(pack)) + moved + (len(pack) - 1 if users[pack] else 0)
