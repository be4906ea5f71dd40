"""Pointers to the arguments of a block: one to all of them, or, of one sample, one to each."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass

from screwgraph.compiler.backends.llvm.ir_text import Lanes


@dataclass(frozen=True)
class ArgumentPointers:
    """Pointers to stretches of a block's inputs, which begin at these places."""

    starts: Sequence[int] = (0,)

    @property
    def names(self) -> list[str]:
        """Their names in the block's function."""
        return ["%in"] if len(self.starts) == 1 else [f"%in{k}" for k in range(len(self.starts))]

    @property
    def parameters(self) -> str:
        """Parameters of the LLVM function."""
        return ", ".join(f"ptr noalias {name}" for name in self.names)

    def find(self, place: int) -> tuple[str, int]:
        """Return the pointer to the stretch with an input, and how many numbers behind its beginning that is."""
        k = bisect_right(self.starts, place) - 1
        return self.names[k], place - self.starts[k]

    def into(self, memory: str, name: str, lanes: Lanes) -> tuple[list[str], list[str]]:
        """Return lines that point to the stretches of one copy of all inputs, and the pointers, which begin so."""
        if len(self.starts) == 1:
            return [], [memory]
        pointers = [f"%{name}{k}" for k in range(len(self.starts))]
        places = zip(pointers, self.starts, strict=True)
        return [f"  {p} = getelementptr {lanes.scalar}, ptr {memory}, i64 {start}" for p, start in places], pointers


def format_pointers(pointers: Sequence[str]) -> str:
    """Return pointers as arguments of a call."""
    return ", ".join(f"ptr {pointer}" for pointer in pointers)


ONE = ArgumentPointers()
"""A pointer to all arguments, one after the other."""
