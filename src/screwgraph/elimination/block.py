"""Blocks: variables as people see them, each a group of scalar eliminations."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.base.summary import one_line
from screwgraph.elimination.system import Step
from screwgraph.graph import Key


@dataclass(frozen=True, eq=False)
class Block:
    """A variable and how it was eliminated: its `parents` are the later variables that express it."""

    __repr__ = one_line

    key: Key
    parents: tuple[Key, ...]
    steps: tuple[Step, ...]
