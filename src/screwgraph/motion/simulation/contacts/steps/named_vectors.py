"""Parts of a step whose expressions take vectors of the memory by name."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from screwgraph.tape import Block, Memory, Number

HELD = "held "
"""Before names of arguments that stand beside the terms."""
EFFORTS = "effort"
"""Efforts within limits, and with wrenches, in the place of tau."""


def make_named_block(
    memory: Memory,
    label: str,
    reads: Sequence[str],
    writes: Sequence[str],
    expression: Callable[[Mapping[str, Any]], Sequence[Number]],
) -> Block:
    """Return the part of an expression of vectors by name: those that are `HELD` by their own, `EFFORTS` as tau."""
    names = ["tau" if name == EFFORTS else name.removeprefix(HELD) for name in reads]
    return memory.block(label, reads, writes, lambda *x: expression(dict(zip(names, x, strict=True))))
