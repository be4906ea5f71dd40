"""Kernels' programs between processes, by what the template wrote: closures and functions of users included."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Int

from screwgraph.compiler.cache import PROGRAM, get_or_make, pack_program, unpack_program
from screwgraph.tape import Number, Program, Tape, program

Places = tuple[Int[np.ndarray, " e"], Int[np.ndarray, " e"]]
"""Rows and columns."""


@dataclass(frozen=True, eq=False)
class KernelProgram:
    """Code, the shapes of its results, and the places of a matrix's entries among them."""

    code: Program
    shapes: tuple[tuple[int, ...], ...]
    places: Places | None = None


def encode_expressions(tape: Tape, numbers: Sequence[Number]) -> bytes:
    """Return the bytes of expressions on a tape: equal expressions have equal ones in every process."""
    return pack_program(program(tape, list(numbers)))


def get_or_make_kernel(question: object, make: Callable[[], KernelProgram]) -> KernelProgram:
    """Return the program that answers a question, from the cache if it was made before."""
    return get_or_make(PROGRAM, ("kernel", question), make, _pack, _unpack)


def get_or_make_number(question: object, make: Callable[[], int]) -> int:
    """Return the number that answers a question, from the cache if it was found before."""
    return get_or_make(PROGRAM, ("kernel", question), make, lambda n: str(n).encode(), int)


def _pack(made: KernelProgram) -> bytes:
    places = None if made.places is None else [side.tolist() for side in made.places]
    return json.dumps([made.shapes, places]).encode() + b"\n" + pack_program(made.code)


def _unpack(data: bytes) -> KernelProgram:
    header, _, code = data.partition(b"\n")
    shapes, places = json.loads(header)
    found = None if places is None else (np.array(places[0], dtype=np.intp), np.array(places[1], dtype=np.intp))
    return KernelProgram(unpack_program(code), tuple(tuple(s) for s in shapes), found)
