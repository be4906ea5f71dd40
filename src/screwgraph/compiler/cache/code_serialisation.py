"""Code with loops as bytes and back: numbers of its stages as text, then their programs, each with its length."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from screwgraph.compiler.cache.program_serialisation import pack_program, unpack_program
from screwgraph.tape import Program
from screwgraph.tape.rolled import Code, Copies, Fill, Products, Recursion, Rolled, Span, Stage, StraightLine

LOOPS = b"loops\n"
"""What bytes of code with loops begin with; those of straight-line code begin with the length of a text."""
STAGES: Mapping[str, type] = {kind.__name__: kind for kind in (Copies, Fill, Products, Recursion, StraightLine)}


def pack_code(code: Code) -> bytes:
    """Return the bytes of a function's code: equal codes have equal ones."""
    if isinstance(code, Program):
        return pack_program(code)
    programs = [pack_program(stage.program) for stage in code.stages if isinstance(stage, StraightLine)]
    stages = [[type(stage).__name__, _numbers(stage)] for stage in code.stages]
    about = {"inputs": code.input_names, "stages": stages, "count": code.count, "scratch": code.scratch}
    header = json.dumps({**about, "programs": [len(data) for data in programs]}).encode()
    return b"".join((LOOPS, header, b"\n", *programs))


def unpack_code(data: bytes) -> Code:
    """Return the code that `pack_code` packed."""
    if not data.startswith(LOOPS):
        return unpack_program(data)
    text, _, rest = data[len(LOOPS) :].partition(b"\n")
    header, programs = json.loads(text), list[Program]()
    for length in header["programs"]:
        programs.append(unpack_program(rest[:length]))
        rest = rest[length:]
    left = iter(programs)
    stages = tuple(_stage(name, numbers, left) for name, numbers in header["stages"])
    return Rolled(tuple(header["inputs"]), stages, header["count"], header["scratch"])


def _numbers(stage: Stage) -> dict[str, Any]:
    """Return all that a stage is made of, but for a program."""
    own = {f.name: getattr(stage, f.name) for f in fields(STAGES[type(stage).__name__])}
    return {name: value for name, value in own.items() if not isinstance(value, Program)}


def _stage(name: str, numbers: Mapping[str, Any], programs: Any) -> Stage:
    own = dict(numbers)
    for key, value in numbers.items():
        if isinstance(value, list):
            own[key] = tuple(Span(*x) if isinstance(x, list) else x for x in value)
    return STAGES[name](**own, **({"program": next(programs)} if name == StraightLine.__name__ else {}))
