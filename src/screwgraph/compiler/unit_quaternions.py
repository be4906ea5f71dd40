"""Quaternions among the arguments of functions: machine code takes them to be unit, and is wrong where they are not.

Calls from Python refuse others. Code that is exported (C, NumPy, CasADi) has nobody to tell: it makes them unit.
"""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler.signature import Argument
from screwgraph.spatial.manifolds import product
from screwgraph.spatial.quaternions import UNIT_TOLERANCE
from screwgraph.tape import LEAVES, Block, Code, Program

Places = tuple[tuple[int, int], ...]
"""Which argument, and at which of its numbers a quaternion begins."""


def quaternion_places(arguments: Sequence[Argument]) -> Places:
    """Return where quaternions stand in the arguments of a function."""
    spaces = [product(argument.spaces) for argument in arguments]
    return tuple((i, at) for i, space in enumerate(spaces) for at in space.quaternions)


def exported_places(arguments: Sequence[Argument]) -> Places:
    """Return where quaternions stand that code makes unit when it is exported: those of plain vectors, too."""
    return (*quaternion_places(arguments), *((i, at) for i, a in enumerate(arguments) for at in a.units))


def check_unit(arguments: Sequence[Argument], places: Places, values: Sequence[Any]) -> None:
    """Refuse quaternions that are not unit; NaN, and arguments of wrong shapes, are left to others.

    Raises:
        InputError: one is not, with its length.
    """
    for i, at in places:
        q = np.asarray(values[i])
        if q.dtype.kind == "O":
            with suppress(TypeError, ValueError):  # others refuse what is no number
                q = q.astype(float)
        if q.dtype.kind not in "biuf" or not q.shape or q.shape[-1] != len(arguments[i].names):
            continue
        four = q[..., at : at + 4].astype(float, copy=False)
        squared = np.einsum("...i,...i->...", four, four)
        off = np.abs(squared - 1.0) > UNIT_TOLERANCE
        if off.any():
            length = float(np.sqrt(squared[off].flat[0]))
            raise InputError(
                f"the quaternion {arguments[i].names[at]} ... of {arguments[i].name!r} has the length {length:.6g}",
                why="functions take quaternions to be unit",
                fix="robot.manifold.normalise(q) is, for one position",
            )


def normalise_inputs(code: Code, arguments: Sequence[Argument]) -> Code:
    """Return code that divides quaternions among its arguments by their lengths first; one that is zero gives NaN."""
    places = exported_places(arguments)
    if isinstance(code, Program):
        return normalising(code, arguments, places)
    at, units = dict(zip(code.input_names, code.inputs, strict=True)), list[Block]()
    for i, first in places:
        names = arguments[i].names[first : first + 4]
        same = Program(names, tuple(("input", k) for k in range(4)), tuple(range(4)))
        own = tuple(at[name] for name in names)
        units.append(Block("unit", normalising(same, [Argument("quaternion", (4,), names)], ((0, 0),)), own, own))
    return replace(code, parts=(*units, *code.parts))


def normalising(program: Program, arguments: Sequence[Argument], places: Places) -> Program:
    """Return a program that divides quaternions by their lengths before it uses them; one that is zero gives NaN."""
    numbers = {name: i for i, name in enumerate(program.input_names)}
    fours = [[numbers[name] for name in arguments[i].names[at : at + 4]] for i, at in places]
    used = {operands[0] for operation, *operands in program.instructions if operation == "input"}
    fours = [four for four in fours if used & set(four)]
    if not fours:
        return program
    made: list[tuple[Any, ...]] = []

    def append_instruction(*instruction: Any) -> int:
        made.append(instruction)
        return len(made) - 1

    unit: dict[int, int] = {}
    for four in fours:
        given = [append_instruction("input", number) for number in four]
        total = reduce(lambda a, b: append_instruction("add", a, b), [append_instruction("mul", x, x) for x in given])
        scale = append_instruction("inv", append_instruction("sqrt", total))
        unit |= {number: append_instruction("mul", x, scale) for number, x in zip(four, given, strict=True)}
    place: list[int] = []
    for operation, *operands in program.instructions:
        if operation == "input" and operands[0] in unit:
            place.append(unit[operands[0]])
        elif operation in LEAVES:
            place.append(append_instruction(operation, *operands))
        else:
            place.append(append_instruction(operation, *(place[o] for o in operands)))
    outputs = tuple(place[o] if isinstance(o, int) else o for o in program.outputs)
    return replace(program, instructions=made, outputs=outputs)
