"""Programs whose signs stand beside values: mirrored limbs have the same operations then, up to signs."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType

from screwgraph.base.summary import one_line
from screwgraph.tape import LEAVES, Program

Signed = tuple[int, int]
"""A value and its sign, 1 or -1."""
PACKED = ("add", "mul", "div", "inv", "fma")
"""Operations that packs hold; "fma" is a b + c."""
FUSED: Mapping[str, tuple[int, int]] = MappingProxyType(
    {"times_add": (1, 1), "times_sub": (1, -1), "sub_times": (-1, 1)}
)
"""Signs of the product and of the addend in sums that products are part of."""
GIVEN, GONE = "given", "gone"
"""Marks of kinds: of what others write, and of what only turned a sign."""
COMMUTING: Mapping[str, int] = MappingProxyType({"add": 2, "mul": 2, "fma": 2})
"""How many of its operands, the first ones, an operation takes in any order."""


@dataclass(frozen=True)
class SignNormalForm:
    """A program without "sub" and "neg": value i is `kinds[i]` of `operands[i]`; `signed` says what it was before.

    `signed[i]` is the value, with its sign, that instruction i gives. Products and quotients have operands
    without signs, so have factors in sums. What is given stays as it is, its kind marked so.
    """

    __repr__ = one_line

    kinds: Sequence[str]
    operands: Sequence[tuple[Signed, ...]]
    signed: Sequence[Signed]
    outputs: Sequence[Signed | float]

    @cached_property
    def is_computed(self) -> Sequence[bool]:
        """Which values are computed here, not given."""
        return [kind not in (*LEAVES, GONE) and not kind.startswith(GIVEN) for kind in self.kinds]


def make_sign_normal_form(program: Program, given: Collection[int] = ()) -> SignNormalForm:
    """Return the normal form of a program; instructions at the places `given` are written by others."""
    kinds, operands, signed = list[str](), list[tuple[Signed, ...]](), list[Signed]()
    for i, (operation, *places) in enumerate(program.instructions):
        kind, sign, terms = operation, 1, tuple[Signed, ...]()
        if operation not in LEAVES:
            terms = tuple(signed[o] for o in places)
        if i in given:
            kind = f"{GIVEN} {operation}"
        if kind == "neg":
            (value, sign), terms = terms[0], ()
            signed.append((value, -sign))
            kinds.append(GONE)
            operands.append(terms)
            continue
        if kind in ("add", "sub"):
            (a, p), (b, q) = terms
            q = -q if kind == "sub" else q
            kind, sign, terms = "add", p, ((a, 1), (b, p * q))
        elif kind in FUSED:
            (a, p), (b, q), (c, r) = terms
            product, addend = FUSED[kind]
            kind, sign = "fma", p * q * product
            terms = ((a, 1), (b, 1), (c, sign * r * addend))
        elif kind in ("mul", "div", "inv"):
            for _, each in terms:
                sign *= each
            terms = tuple((value, 1) for value, _ in terms)
        kinds.append(kind)
        operands.append(terms)
        signed.append((i, sign))
    outputs = [signed[o] if isinstance(o, int) else o for o in program.outputs]
    return SignNormalForm(kinds, operands, signed, outputs)
