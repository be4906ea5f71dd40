"""Programs by the question that they answer: a robot, what is known of it, what is asked, in which order."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.compiler.cache.code_serialisation import pack_code, unpack_code
from screwgraph.compiler.cache.lookup import get_or_make, look_up
from screwgraph.compiler.cache.store import PROGRAM
from screwgraph.graph import Column, Key
from screwgraph.tape import Code, Program


@dataclass(frozen=True)
class CachedCode:
    """Code, the name of the order that it came from, and, where no name says it, that order itself.

    `seconds` is how long a search took that found it, of the processor (s).
    """

    __repr__ = one_line

    body: Code
    ordering: str
    order: tuple[Key | Column, ...] = ()
    seconds: float = 0.0

    @property
    def program(self) -> Program:
        """The code without loops."""
        return self.body.unrolled


def get_or_make_code(
    question: object,
    make: Callable[[], CachedCode],
    *,
    improve: Callable[[CachedCode], CachedCode] = lambda made: made,
    anew: bool = False,
) -> CachedCode:
    """Return the code that answers a question, from the cache if it was made before.

    `question` is what the code depends on: numbers, texts, arrays, containers, and this package's frozen dataclasses,
    robots and orders among them. Anything else in it, and nothing is looked up or kept. `improve` returns what
    takes the place of code that was found, or just that; `anew` looks nothing up.
    """
    return get_or_make(PROGRAM, question, make, _pack, _unpack, improve=improve, anew=anew)


def look_up_code(question: object) -> CachedCode | None:
    """Return the code that answers a question if the cache has it."""
    return look_up(PROGRAM, question, _unpack)


def _pack(made: CachedCode) -> bytes:
    order = [[*item] if isinstance(item, Key) else [*item[0], item[1]] for item in made.order]
    header = json.dumps([made.ordering, order, made.seconds])
    return header.encode() + b"\n" + pack_code(made.body)


def _unpack(data: bytes) -> CachedCode:
    header, _, program = data.partition(b"\n")
    ordering, order, seconds = json.loads(header)
    items = [Key(kind, name) if not number else (Key(kind, name), number[0]) for kind, name, *number in order]
    return CachedCode(unpack_code(program), ordering, tuple(items), seconds)
