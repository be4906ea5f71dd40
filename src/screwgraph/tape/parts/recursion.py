"""M X = B for the mass matrix M of a tree, from its tips to the base and back, for many right-hand sides."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from screwgraph.tape.parts.part import Execution, Part
from screwgraph.tape.program import Operations

WIDEST = 32
"""Numbers of a row of X that a back end may solve for at once."""
SIX = 6
"""Numbers of a twist or a wrench."""


def work_size(size: int) -> int:
    """Return how many places the work on so many coordinates takes."""
    return WIDEST * (size + SIX * (size + 2))


@dataclass(frozen=True)
class Recursion(Part):
    """X = M^-1 X, or less than that if `negative`, in place: X (size, columns) stands at `target`, row by row.

    Coordinate i hangs on `parents[i] < i`, on the base if that is -1. `axes` are S[k, i], at `axes + k size + i`;
    `wrenches` U[k, i], what a unit acceleration along S_i takes of all that hangs on i while nothing else is driven;
    `scaled` U / D and `pivots` 1 / D, with D = S' U. All are seen from one point. Of a `triangle`, X is zero left of
    its diagonal. From `work` on, `work_size(size)` places are free. The arrays have no places in common.
    Featherstone (2008), section 7.3, for torques alone.
    """

    size: int
    parents: tuple[int, ...]
    axes: int
    scaled: int
    pivots: int
    target: int
    columns: int
    work: int
    negative: bool = False
    triangle: bool = False

    @property
    def operations(self) -> Operations:
        """Four products of 6-vectors for each coordinate and column; on the way in half of a triangle."""
        pairs = self.size * self.columns
        inwards = sum(self.columns - i for i in range(self.size)) if self.triangle else pairs
        return Operations(
            {"*": 2 * SIX * (pairs + inwards) + pairs, "+": SIX * (pairs + inwards), "-": SIX * (pairs + inwards)}
        )

    @property
    def _solved(self) -> range:
        return range(self.target, self.target + self.size * self.columns)

    def list_reads(self) -> Iterable[int]:
        """Return the places of S, U / D, 1 / D and X."""
        sizes = ((self.axes, SIX * self.size), (self.scaled, SIX * self.size), (self.pivots, self.size))
        return chain(*(range(start, start + count) for start, count in sizes), self._solved)

    def list_writes(self) -> Iterable[int]:
        """Return the places of X and of the work."""
        return chain(self._solved, range(self.work, self.work + work_size(self.size)))

    def run(self, on: Execution) -> None:
        """Solve, one column after the other."""
        n, sign, memory = self.size, -1.0 if self.negative else 1.0, on.memory
        S, W = (
            [[memory[start + k * n + i] for k in range(SIX)] for i in range(n)] for start in (self.axes, self.scaled)
        )
        for c in range(self.columns):
            places = [self.target + i * self.columns + c for i in range(n)]
            left = [memory[place] * sign for place in places]
            felt = [[0.0] * SIX for _ in range(n)]
            for i in reversed(range(n)):
                for k in range(SIX):
                    left[i] = left[i] - S[i][k] * felt[i][k]
                if self.parents[i] >= 0:
                    beyond = felt[self.parents[i]]
                    felt[self.parents[i]] = [b + f + w * left[i] for b, f, w in zip(beyond, felt[i], W[i], strict=True)]
            moved = [[0.0] * SIX for _ in range(n)]
            for i, place in enumerate(places):
                carried = moved[self.parents[i]] if self.parents[i] >= 0 else [0.0] * SIX
                value = left[i] * memory[self.pivots + i]
                for k in range(SIX):
                    value = value - W[i][k] * carried[k]
                moved[i] = [a + s * value for a, s in zip(carried, S[i], strict=True)]
                memory[place] = value
