"""Domains of arguments in batches: blocks of samples that leave them are counted where code runs, next to no time."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from screwgraph.compiler.backends.llvm.argument_pointers import ArgumentPointers
from screwgraph.compiler.backends.llvm.inner_loop import Operand
from screwgraph.compiler.backends.llvm.ir_text import Lanes
from screwgraph.spatial.quaternions import UNIT_TOLERANCE

COUNTER = "outside"
"""The name of a pointer to the counter, which grows where a block of samples holds a number outside its domain."""

Place = tuple[int, int]
"""Which argument, and at which of its numbers."""


@dataclass(frozen=True)
class Domains:
    """Numbers of arguments that code takes to be in a domain: unit `quaternions`, and those that are not negative.

    A quaternion stands at the place of the first of its four numbers.
    """

    quaternions: tuple[Place, ...] = ()
    nonnegative: tuple[Place, ...] = ()

    @property
    def is_everything(self) -> bool:
        """Whether arguments may be any numbers."""
        return not (self.quaternions or self.nonnegative)

    @property
    def numbers(self) -> list[Place]:
        """The places of all these numbers."""
        return [(i, start + k) for i, start in self.quaternions for k in range(4)] + list(self.nonnegative)


EVERYTHING = Domains()
"""Arguments may be any numbers."""


def place_checked(inputs: Sequence[Operand], domains: Domains) -> list[Operand]:
    """Return the arguments, checked numbers that the program does not need given places behind the others."""
    free = max((place + 1 for operand in inputs for place in operand.places), default=0)
    found = list(inputs)
    for i, flat in domains.numbers:
        places = list(found[i].places)
        if places[flat] < 0:
            places[flat], free = free, free + 1
        found[i] = replace(found[i], places=tuple(places))
    return found


def emit_domain_counter(inputs: Sequence[Operand], domains: Domains, lanes: Lanes, pointers: ArgumentPointers) -> str:
    """Return `@domains(in, ...)`, which looks at the checked numbers of a block of samples; NaN is left to others."""
    B, lines, found = lanes.boolean, list[str](), list[str]()
    for here, (i, start) in enumerate(domains.quaternions):
        lines += _off_unit(f"{here}", inputs[i].places[start : start + 4], lanes, pointers)
        found.append(f"%off{here}")
    for here, (i, flat) in enumerate(domains.nonnegative):
        lines += [
            *_load(f"n{here}", inputs[i].places[flat], lanes, pointers),
            f"  %negative{here} = fcmp olt {lanes.real} %vn{here}, {lanes.number(0.0)}",
        ]
        found.append(f"%negative{here}")
    outside = found[0]
    for k, other in enumerate(found[1:]):
        lines.append(f"  %any{k} = or {B} {outside}, {other}")
        outside = f"%any{k}"
    if lanes.width > 1:
        lines.append(f"  %some = call i1 @llvm.vector.reduce.or.v{lanes.width}i1({B} {outside})")
        outside = "%some"
    return "\n".join(
        [
            f"define internal void @domains{lanes.tag}({pointers.parameters}) alwaysinline {{",
            *lines,
            f"  br i1 {outside}, label %count, label %done, !prof !0",
            "count:",
            f"  %counter = load ptr, ptr @{COUNTER}, align 8",
            "  %before = atomicrmw add ptr %counter, i64 1 monotonic",
            "  br label %done",
            "done:",
            "  ret void",
            "}",
        ]
    )


def _load(here: str, place: int, lanes: Lanes, pointers: ArgumentPointers) -> list[str]:
    name, behind = pointers.find(place)
    return [
        f"  %p{here} = getelementptr {lanes.entry}, ptr {name}, i64 {behind}",
        f"  %v{here} = load {lanes.real}, ptr %p{here}, align {lanes.bytes}",
    ]


def _off_unit(here: str, places: Sequence[int], lanes: Lanes, pointers: ArgumentPointers) -> list[str]:
    """Tell of a quaternion, `%off...`, whether its squared length is not 1."""
    D, N, B, total = lanes.real, lanes.integer, lanes.boolean, lanes.number(-1.0)
    lines = list[str]()
    for k, place in enumerate(places):
        at = f"{here}_{k}"
        lines += [
            *_load(at, place, lanes, pointers),
            f"  %s{at} = call {D} {lanes.intrinsic('fma')}({D} %v{at}, {D} %v{at}, {D} {total})",
        ]
        total = f"%s{at}"
    return [
        *lines,
        *lanes.magnitude(f"%size{here}", total, here),
        f"  %much{here} = icmp ugt {N} %size{here}, {lanes.as_whole(UNIT_TOLERANCE)}",
        f"  %is{here} = icmp ule {N} %size{here}, {lanes.as_whole(float('inf'))}",
        f"  %off{here} = and {B} %much{here}, %is{here}",
    ]
