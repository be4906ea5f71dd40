"""Packs: operations of equal limbs that one instruction does, side by side in a vector, and the order of all code."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.compiler.packs.circles import circles, depths
from screwgraph.compiler.packs.limbs import ALIKE, Family, equal_limbs
from screwgraph.compiler.packs.normal import Normal, normal
from screwgraph.compiler.packs.pairing import Pack, paired
from screwgraph.compiler.packs.signs import Signs, signs
from screwgraph.compiler.packs.worth import Demand, demand, pays, worthwhile
from screwgraph.summary import one_line
from screwgraph.tape import Program

MORE = 4
"""Of packs that wait for each other one is taken out, and one more for each so many."""
TRIALS = 20
"""After so many the code is left alone: a humanoid's took twelve."""
Unit = int | Pack
"""A value that is computed alone, or a pack."""


@dataclass(frozen=True)
class SideBySide:
    """A program in which equal limbs stand side by side.

    `units` are in an order in which they can be computed; `operands` of packs are packs, or values, one for each lane;
    `homes` say in which pack, and which lane, a value is found that is not computed alone.
    """

    __repr__ = one_line

    normal: Normal
    units: Sequence[Unit]
    operands: Mapping[Pack, Sequence[Pack]]
    homes: Mapping[int, tuple[Pack, int]]
    signs: Signs


def side_by_side(program: Program, given: Collection[int], width: int) -> SideBySide | None:
    """Return a program with its equal limbs side by side; None where it has none, or little is gained.

    Instructions at the places `given` are written by others; vectors of the processor hold `width` numbers.
    """
    tried: Sequence[Family] = ()
    for alike in ALIKE:
        families = equal_limbs(program, alike)
        if families and families != tried:
            tried, found = families, _of(families, program, given, width)
            if found is not None:
                return found
    return None


def _of(families: Sequence[Family], program: Program, given: Collection[int], width: int) -> SideBySide | None:
    """Return the program with these limbs side by side; None where little is gained."""
    form = normal(program, given)
    places = [instruction[1] if instruction[0] == "input" else None for instruction in program.instructions]
    found = worthwhile(form, paired(form, places, families), width)
    ordered = _ordered(form, found) if pays(form, demand(form, found), width) else None
    if ordered is None or not pays(form, ordered[1], width):
        return None
    units, needed = ordered
    operands = {unit: needed.operands[unit] for unit in units if isinstance(unit, tuple)}
    return SideBySide(form, units, operands, needed.homes, signs(form, operands))


def _ordered(form: Normal, packs: Mapping[Pack, Sequence[Pack]]) -> tuple[list[Unit], Demand] | None:
    """Return what is needed in order, the first in the program first; packs that wait for each other are taken out.

    None where some do so after many trials.
    """
    left, deep = dict(packs), depths(form)
    for _ in range(TRIALS):
        needed = demand(form, left)
        before: dict[Unit, set[Unit]] = {pack: _sources(form, needed, needed.operands[pack]) for pack in needed.packs}
        for i in needed.alone:
            before[i] = {needed.source(value) for value, _ in form.operands[i] if form.computed[value]}
        after: dict[Unit, list[Unit]] = {unit: [] for unit in before}
        waits = {unit: len(sources) for unit, sources in before.items()}
        for unit, sources in before.items():
            for source in sources:
                after[source].append(unit)
        ready = [(_place(unit), unit) for unit, count in waits.items() if not count]
        heapq.heapify(ready)
        units = list[Unit]()
        while ready:
            _, unit = heapq.heappop(ready)
            units.append(unit)
            for user in after[unit]:
                waits[user] -= 1
                if not waits[user]:
                    heapq.heappush(ready, (_place(user), user))
        if len(units) == len(before):
            return units, needed
        for circle in circles({unit: before[unit] for unit in before.keys() - set(units)}):
            packs_in = [unit for unit in circle if isinstance(unit, tuple)]
            packs_in.sort(key=lambda pack: (min(deep[i] for i in pack) - max(deep[i] for i in pack), pack))
            for pack in packs_in[: 1 + len(packs_in) // MORE]:
                del left[pack]
    return None


def _place(unit: Unit) -> int:
    return unit if isinstance(unit, int) else max(unit)


def _sources(form: Normal, needed: Demand, operands: Iterable[Pack]) -> set[Unit]:
    """Return what a pack waits for."""
    found = set[Unit]()
    for operand in operands:
        if operand in needed.packs:
            found.add(operand)
        else:
            found |= {needed.source(value) for value in operand if form.computed[value]}
    return found
