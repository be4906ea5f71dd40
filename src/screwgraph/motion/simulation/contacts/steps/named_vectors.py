"""Parts of a step whose expressions take vectors of the memory by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from screwgraph.tape import Block, Memory, Number, Part

Expression = Callable[[Mapping[str, Any]], Sequence[Number]]
"""Of vectors by name."""
MakeParts = Callable[[str, Sequence[str], Sequence[str], Expression], tuple[Part, ...]]
"""Of a label, vectors that are read and that are written, and an expression of the former: the parts of it."""

HELD = "held "
"""Before names of arguments that stand beside the terms."""
EFFORTS = "effort"
"""Efforts within limits, and with wrenches, in the place of tau."""


def make_named_block(
    memory: Memory, label: str, reads: Sequence[str], writes: Sequence[str], expression: Expression
) -> Block:
    """Return the part of an expression of vectors by name: those that are `HELD` by their own, `EFFORTS` as tau."""
    return memory.block(label, reads, writes, lambda *x: expression(name_vectors(reads, x)))


def name_vectors(reads: Sequence[str], vectors: Sequence[Any]) -> dict[str, Any]:
    """Return vectors by the names that expressions know."""
    names = ["tau" if name == EFFORTS else name.removeprefix(HELD) for name in reads]
    return dict(zip(names, vectors, strict=True))
