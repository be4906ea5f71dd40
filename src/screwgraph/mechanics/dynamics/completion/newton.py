"""A fixed number of Newton's steps from the guess, for blocks without a closed form."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.model.robot.closure.closing_newton import characteristic_length
from screwgraph.spatial import Array, choose, maximum, minimum
from screwgraph.tape import Number, guard, least_norm

STEPS = 6
LONGEST = 0.5
"""Largest change (rad, m) of a coordinate in a step."""
LAST = 3e-6
"""Largest change in the last step: what it leaves is smaller than the square of that, beside what curvature makes."""
ROUGH = 1e-5
"""Residual, relative to the robot's size, that redundant rows may be left with: files print few digits."""


@dataclass(frozen=True, eq=False)
class Newton:
    """The coordinates of a block by Newton's steps, no coordinate moved too far by any but the last; else NaN."""

    __repr__ = one_line
    takes_guess = True

    block: Block
    size: float
    """The length (m) that closure errors are judged by."""
    steps: int = STEPS

    @classmethod
    def from_block(cls, block: Block) -> Newton:
        """Return the steps that solve a block of a robot whose lengths are numbers."""
        return cls(block, characteristic_length(block.robot))

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's coordinates filled in."""
        at, places = q.copy(), self.block.places
        at[places] = guess[places]
        for left in reversed(range(self.steps)):
            step = -least_norm(self.block.jacobian(at).tolist(), list(self.block.residual(at)))
            longest = _largest(step)
            if left:
                at = self.block.move(at, step * minimum(1.0, LONGEST / maximum(longest, LONGEST)))
                continue
            off = _largest(self.block.every_residual(at))
            is_closed = (longest <= LAST) * (off <= ROUGH * self.size)
            at = self.block.move(at, step)
            at[places] = at[places] * guard(choose(is_closed, 1.0, 0.0), 0.5)
        return at


def _largest(numbers: Array) -> Number:
    largest: Number = 0.0
    for x in np.asarray(numbers, dtype=object).flat:
        largest = maximum(largest, abs(x))
    return largest
