"""Linear couplings: gears, belts, differentials."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.spatial import Array


@dataclass(frozen=True, eq=False)
class Linear:
    """The coordinates of a block whose rows are linear in them with constant coefficients: `inverse` are theirs."""

    __repr__ = one_line
    takes_guess = False

    block: Block
    inverse: Float[np.ndarray, "n n"]

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's coordinates filled in."""
        at = q.copy()
        at[self.block.places] = 0.0
        rest = self.block.residual(at)
        at[self.block.places] = [-sum(a * r for a, r in zip(row, rest, strict=True)) for row in self.inverse.tolist()]
        return at


def match_linear(block: Block) -> Linear | None:
    """Return how the coordinates of a block of linear couplings are found; None for other blocks."""
    part, _ = block.part
    if part.loops or not all(coupling.is_linear for coupling in part.couplings):
        return None
    return Linear(block, np.linalg.inv(block.jacobian(block.robot.neutral())))
