"""Packs: operations of equal limbs that one instruction does, side by side in a vector, and the order of all code."""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from screwgraph.base.summary import one_line
from screwgraph.compiler.passes.slp.limbs import ALIKE, Family, find_equal_limbs
from screwgraph.compiler.passes.slp.pack_selection import Pack, select_packs
from screwgraph.compiler.passes.slp.profitability import PackDemand, drop_unprofitable, find_demand, is_profitable
from screwgraph.compiler.passes.slp.sign_normal_form import SignNormalForm, make_sign_normal_form
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


# Packs that wait for each other: one lane of the first needs one of the second, and the other way round.

T = TypeVar("T")


def find_cycles(before: Mapping[T, Collection[T]]) -> Iterator[list[T]]:
    """Yield what waits for itself, through others or at once: strongly connected components (Tarjan, 1972)."""
    index: dict[T, int] = {}
    low: dict[T, int] = {}
    path, on_path = list[T](), set[T]()
    for root in before:
        if root in index:
            continue
        index[root] = low[root] = len(index)
        path.append(root)
        on_path.add(root)
        work = [(root, iter(before[root]))]
        while work:
            unit, rest = work[-1]
            for other in rest:
                if other not in before:
                    continue
                if other not in index:
                    index[other] = low[other] = len(index)
                    path.append(other)
                    on_path.add(other)
                    work.append((other, iter(before[other])))
                    break
                if other in on_path:
                    low[unit] = min(low[unit], index[other])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[unit])
                if low[unit] == index[unit]:
                    found = [path.pop()]
                    while found[-1] != unit:
                        found.append(path.pop())
                    on_path.difference_update(found)
                    if len(found) > 1 or unit in before[unit]:
                        yield found


def nesting_depths(normal: SignNormalForm) -> list[int]:
    """Return how many operations stand one in the other in each value."""
    found = list[int]()
    for operands in normal.operands:
        found.append(1 + max((found[value] for value, _ in operands), default=-1))
    return found


# Signs of lanes: mirrored limbs compute the same values, but for signs, which most packs take over as they come.

Lanes = tuple[int, ...]
"""A sign, 1 or -1, for each lane."""
Signs = Mapping[Pack, Lanes]


def choose_signs(normal: SignNormalForm, operands: Mapping[Pack, Sequence[Pack]]) -> Signs:
    """Return with which signs packs, and vectors of single values, are best computed: the first lane's is 1.

    Terms of sums must have the sum's signs, products, also those in sums, have their factors' signs; constants have
    any. These are linear equations of bits, one after the other: one that contradicts those before costs an instruction
    that turns signs.
    """
    number: dict[Pack, int] = {}
    equations = _BitEquations()

    def variable(vector: Pack) -> int:
        """Return the bit of a vector, 0 for constants."""
        if vector not in operands and all(normal.kinds[value] == "constant" for value in vector):
            return 0
        return 1 << number.setdefault(vector, len(number))

    for pack, terms in operands.items():
        here, found = variable(pack), [variable(term) for term in terms]
        added = addend_signs(normal, pack, terms)
        for k, inner in added.items():
            if found[k]:
                equations.add(here ^ found[k], _bits(inner))
        factors = [bit for k, bit in enumerate(found) if k not in added]
        if factors and all(factors):
            for bit in factors:
                here ^= bit
            equations.add(here, 0)
    for vector, k in number.items():
        if vector not in operands:
            equations.add(1 << k, 0)
    values = equations.solution()
    return {vector: _lanes(values.get(k + 1, 0), len(vector)) for vector, k in number.items()}


class _BitEquations:
    """Sums of bits, each with a right side, one after the other: those that contradict earlier ones are left out."""

    def __init__(self) -> None:
        self._solved: dict[int, tuple[int, int]] = {}

    def add(self, row: int, right: int) -> None:
        """Add an equation of the bits of `row`, less what is known of them."""
        while row:
            first = row.bit_length()
            if first not in self._solved:
                self._solved[first] = row, right
                return
            other, also = self._solved[first]
            row, right = row ^ other, right ^ also

    def solution(self) -> dict[int, int]:
        """Return values by number, counted from 1; bits that no equation determines are 0."""
        values: dict[int, int] = {}
        for first in sorted(self._solved):
            row, right = self._solved[first]
            row ^= 1 << first - 1
            while row:
                last = row.bit_length()
                row ^= 1 << last - 1
                right ^= values.get(last, 0)
            values[first] = right
        return values


def addend_signs(normal: SignNormalForm, pack: Pack, terms: Sequence[Pack]) -> Mapping[int, Lanes]:
    """Return the signs that terms of a pack have in its sums, by their places among these."""
    if normal.kinds[pack[0]] == "fma":
        return {2: tuple(normal.operands[i][2][1] for i in pack)}
    if normal.kinds[pack[0]] != "add":
        return {}
    own = [dict(normal.operands[i]) for i in pack]
    return {k: tuple(signs[value] for signs, value in zip(own, term, strict=True)) for k, term in enumerate(terms)}


def multiply_signs(*factors: Lanes) -> Lanes:
    """Multiply signs, lane by lane."""
    product = factors[0]
    for factor in factors[1:]:
        product = tuple(p * q for p, q in zip(product, factor, strict=True))
    return product


def _bits(lanes: Lanes) -> int:
    return sum(1 << k for k, sign in enumerate(lanes) if sign != lanes[0])


def _lanes(bits: int, width: int) -> Lanes:
    return tuple(-1 if bits >> k & 1 else 1 for k in range(width))
