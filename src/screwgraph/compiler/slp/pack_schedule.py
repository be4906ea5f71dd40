"""Packs: operations of equal limbs that one instruction does, side by side in a vector, and the order of all code."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.compiler.slp.cycles import find_cycles, nesting_depths
from screwgraph.compiler.slp.lane_signs import Signs, choose_signs
from screwgraph.compiler.slp.limbs import ALIKE, Family, find_equal_limbs
from screwgraph.compiler.slp.pack_selection import Pack, select_packs
from screwgraph.compiler.slp.profitability import PackDemand, drop_unprofitable, find_demand, is_profitable
from screwgraph.compiler.slp.sign_normal_form import SignNormalForm, make_sign_normal_form
from screwgraph.tape import Program

MORE = 4
"""Of packs that wait for each other one is taken out, and one more for each so many."""
TRIALS = 20
"""After so many the code is left alone: a humanoid's took twelve."""
Unit = int | Pack
"""A value that is computed alone, or a pack."""


@dataclass(frozen=True)
class PackedProgram:
    """A program in which equal limbs stand side by side.

    `units` are in an order in which they can be computed; `operands` of packs are packs, or values, one for each lane;
    `homes` say in which pack, and which lane, a value is found that is not computed alone.
    """

    __repr__ = one_line

    normal: SignNormalForm
    units: Sequence[Unit]
    operands: Mapping[Pack, Sequence[Pack]]
    homes: Mapping[int, tuple[Pack, int]]
    signs: Signs


def pack_limbs(program: Program, given: Collection[int], width: int) -> PackedProgram | None:
    """Return a program with its equal limbs side by side; None where it has none, or little is gained.

    Instructions at the places `given` are written by others; vectors of the processor hold `width` numbers.
    """
    tried: Sequence[Family] = ()
    for alike in ALIKE:
        families = find_equal_limbs(program, alike)
        if families and families != tried:
            tried, found = families, _pack_families(families, program, given, width)
            if found is not None:
                return found
    return None


def _pack_families(
    families: Sequence[Family], program: Program, given: Collection[int], width: int
) -> PackedProgram | None:
    """Return the program with these limbs side by side; None where little is gained."""
    form = make_sign_normal_form(program, given)
    places = [instruction[1] if instruction[0] == "input" else None for instruction in program.instructions]
    found = drop_unprofitable(form, select_packs(form, places, families), width)
    ordered = _order_units(form, found) if is_profitable(form, find_demand(form, found), width) else None
    if ordered is None or not is_profitable(form, ordered[1], width):
        return None
    units, needed = ordered
    operands = {unit: needed.operands[unit] for unit in units if isinstance(unit, tuple)}
    return PackedProgram(form, units, operands, needed.homes, choose_signs(form, operands))


def _order_units(form: SignNormalForm, packs: Mapping[Pack, Sequence[Pack]]) -> tuple[list[Unit], PackDemand] | None:
    """Return what is needed in order, the first in the program first; packs that wait for each other are taken out.

    None where some do so after many trials.
    """
    left, deep = dict(packs), nesting_depths(form)
    for _ in range(TRIALS):
        needed = find_demand(form, left)
        before: dict[Unit, set[Unit]] = {pack: _sources(form, needed, needed.operands[pack]) for pack in needed.packs}
        for i in needed.alone:
            before[i] = {needed.source(value) for value, _ in form.operands[i] if form.is_computed[value]}
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
        for circle in find_cycles({unit: before[unit] for unit in before.keys() - set(units)}):
            packs_in = [unit for unit in circle if isinstance(unit, tuple)]
            packs_in.sort(key=lambda pack: (min(deep[i] for i in pack) - max(deep[i] for i in pack), pack))
            for pack in packs_in[: 1 + len(packs_in) // MORE]:
                del left[pack]
    return None


def _place(unit: Unit) -> int:
    return unit if isinstance(unit, int) else max(unit)


def _sources(form: SignNormalForm, needed: PackDemand, operands: Iterable[Pack]) -> set[Unit]:
    """Return what a pack waits for."""
    found = set[Unit]()
    for operand in operands:
        if operand in needed.packs:
            found.add(operand)
        else:
            found |= {needed.source(value) for value in operand if form.is_computed[value]}
    return found
