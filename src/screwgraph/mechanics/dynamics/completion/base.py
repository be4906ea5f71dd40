"""What solves a block of constraints for its coordinates."""

from __future__ import annotations

from typing import Protocol

from screwgraph.spatial import Array, choose, sqrt
from screwgraph.tape import Number, guard


class Solution(Protocol):
    """A way to the coordinates of a block, where all that it depends on is known."""

    @property
    def takes_guess(self) -> bool:
        """Whether it needs to know where they are, nearly: assembly mode, number of turns, start of iterations."""
        ...

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q (nq,) with the coordinates of the block filled in; `guess` (nq,) says where they are, nearly.

        Arrays of numbers of any kind; it is NaN where there is no solution.
        """
        ...


def square_root(square: Number) -> Number:
    """Return a square root, NaN of what is negative: there a loop does not close."""
    return sqrt(square * guard(choose(square < 0.0, 0.0, 1.0), 0.5))
