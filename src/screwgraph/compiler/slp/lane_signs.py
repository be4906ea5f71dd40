"""Signs of lanes: mirrored limbs compute the same values, but for signs, which most packs take over as they come."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from screwgraph.compiler.slp.pack_selection import Pack
from screwgraph.compiler.slp.sign_normal_form import SignNormalForm

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
