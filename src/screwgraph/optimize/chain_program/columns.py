"""Parts of a stage's code: blocks of vectors of a memory, and columns of rows of matrices side by side."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from screwgraph.tape import Block, Memory, Number, SideBySide, Window

LANES = 8
"""Columns that go side by side: a multiple of what vectors of any processor hold."""
Places = Sequence[int]
Locate = Callable[[str], range]
"""The places of a vector of a stage ("P+": of the next one), or of one that stands once."""


def pad(count: int) -> int:
    """Return the next multiple of the lanes."""
    return -(-count // LANES) * LANES


def make_block(
    label: str, reads: Sequence[Places], writes: Sequence[Places], expression: Callable[..., Sequence[Number]]
) -> Block:
    """Return a program of vectors that stand anywhere."""
    memory = Memory()
    names = [[f"{side}{i}" for i in range(len(vectors))] for side, vectors in (("x", reads), ("y", writes))]
    for own, vectors in zip(names, (reads, writes), strict=True):
        for name, places in zip(own, vectors, strict=True):
            memory.add(name, len(places))
    block = memory.block(label, names[0], names[1], expression)
    given, found = (tuple(place for places in side for place in places) for side in (reads, writes))
    return replace(block, reads=given, writes=found)


def make_columns(
    label: str,
    count: int,
    scalars: Places,
    vectors: Places,
    targets: Places,
    expression: Callable[[Any, Any], Sequence[Number]],
) -> SideBySide:
    """Return an expression of scalars and of a column's numbers, for all columns of rows that begin at places."""
    block = make_block(label, [scalars, vectors], [targets], expression)
    windows = tuple(Window(place, 1, 1) for place in dict.fromkeys([*vectors, *targets]))
    return SideBySide(count, (block,), windows)
