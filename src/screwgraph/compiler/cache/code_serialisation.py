"""Code as bytes and back: parts of code with loops as text, then their programs, each with its length."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import fields
from itertools import accumulate, pairwise
from typing import Any

import numpy as np

from screwgraph.compiler.cache.program_serialisation import pack_program, unpack_program
from screwgraph.tape import Code, Program, Routine
from screwgraph.tape.parts import PARTS, Span, Window

LOOPS = b"loops\n"
"""What bytes of code with loops begin with; those of straight-line code begin with the length of a text."""
KINDS: Mapping[str, type] = {kind.__name__: kind for kind in (Routine, *PARTS)}
"""What has fields, which are numbers, texts, and each other."""


def pack_code(code: Code) -> bytes:
    """Return the bytes of a function's code: equal codes have equal ones."""
    if isinstance(code, Program):
        return pack_program(code)
    programs: dict[int, bytes] = {}

    def encode(value: Any) -> dict[str, Any]:
        match value:
            case Program():
                programs.setdefault(id(value), pack_program(value))
                return {"program": [*programs].index(id(value))}
            case range():
                return {"range": [value.start, value.stop, value.step]}
            case np.ndarray():
                return {"table": value.tolist()}
        return {type(value).__name__: {f.name: getattr(value, f.name) for f in fields(value)}}

    text = json.dumps(code, default=encode)
    lengths = json.dumps([len(data) for data in programs.values()])
    return b"".join((LOOPS, lengths.encode(), b"\n", text.encode(), b"\n", *programs.values()))


def unpack_code(data: bytes) -> Code:
    """Return the code that `pack_code` packed."""
    if not data.startswith(LOOPS):
        return unpack_program(data)
    lengths, text, rest = data[len(LOOPS) :].split(b"\n", 2)
    ends = [0, *accumulate(json.loads(lengths))]
    programs = [unpack_program(rest[start:end]) for start, end in pairwise(ends)]

    def decode(read: dict[str, Any]) -> Any:
        if len(read) > 1:
            return read
        ((kind, value),) = read.items()
        match kind:
            case "program":
                return programs[value]
            case "range":
                return range(*value)
            case "table":
                return np.array(value)
        return KINDS[kind](**{name: _make_tuple(name, field) for name, field in value.items()})

    return json.loads(text, object_hook=decode)


def _make_tuple(name: str, value: Any) -> Any:
    """Return a field as it was: texts know lists only."""
    if not isinstance(value, list):
        return value
    kind = {"spans": Span, "windows": Window}.get(name)
    return tuple(value) if kind is None else tuple(kind(*x) for x in value)
