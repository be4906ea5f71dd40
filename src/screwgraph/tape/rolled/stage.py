"""What a stage of code with loops is."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol

from screwgraph.tape.program import Operations, Program

Run = Callable[[Program, Sequence[Any]], Sequence[Any]]
"""Evaluates a program, or writes it on a tape."""


class Stage(Protocol):
    """A step from numbers of a memory to other numbers of it."""

    @property
    def operations(self) -> Operations:
        """Counts of its arithmetic operations."""
        ...

    def run(self, memory: list[Any], run: Run) -> None:
        """Do it with numbers of any kind, programs by `run`."""
        ...
