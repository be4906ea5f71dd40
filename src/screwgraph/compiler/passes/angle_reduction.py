"""Large angles less whole turns, before they are added: rounding their sum would cost 1e-7 rad at 1e9 rad.

sin(q1 + q2) of parallel axes loses what the sum is rounded by; sin(q) alone loses nothing. Sums that sines and cosines
alone need are the same modulo 2 pi, so that every back end reduces the inputs that are their terms.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from screwgraph.tape import Program

SUMS = ("add", "sub", "neg")
TURN: Mapping[str, tuple[float, float]] = MappingProxyType(
    {
        "float64": (6.283185307179586, 2.4492935982947064e-16),
        "float32": (6.2831854820251465, -1.7484555314695172e-07),
    }
)
"""2 pi in two parts, by the type of numbers. The remainder of a division by the first is exact; the whole turns that it
took off, times the second, are what is missing."""

LARGE = 1e5
"""Angles (rad) up to which sums lose less than 1e-11 rad: code that need not reduce them leaves them alone."""


def find_angle_sums(program: Program) -> frozenset[int]:
    """Return the places of sums that nothing but sines, cosines and other such sums need."""
    otherwise = {output for output in program.outputs if isinstance(output, int)}
    found = set()
    if not any(i[0] in ("sin", "cos") for i in program.instructions):
        return frozenset()
    for i in range(len(program.instructions) - 1, -1, -1):
        operation, *operands = program.instructions[i]
        if operation in SUMS and i not in otherwise:
            found.add(i)
        elif operation not in ("constant", "input", "sin", "cos"):
            otherwise.update(operands)
    return frozenset(found)


def find_large_terms(program: Program) -> Mapping[int, tuple[int, ...]]:
    """Return, by the place of each sum of angles, those of its operands that are inputs, which are to be reduced."""
    code = program.instructions
    inputs = {i: tuple(o for o in code[i][1:] if code[o][0] == "input") for i in sorted(find_angle_sums(program))}
    return {i: terms for i, terms in inputs.items() if terms}
