"""Positions between two neighbouring states: the posterior mean of a Gaussian-process prior."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.integration_rules import hermite
from screwgraph.optimize import Manifold
from screwgraph.spatial.manifolds.tangent_coordinates import from_tangent, tangent_rate, tangent_second_rate, to_tangent


def interpolation_weights(order: int, part: float) -> Float[np.ndarray, " w"]:
    """Return how much the states of a step's ends weigh in the position at a part 0..1 of it, 2 n of them.

    First the position and derivatives of the beginning, then those of the end, in units of the step.
    """
    return hermite(order, part)[0]


@dataclass(frozen=True)
class GpInterpolation:
    """The position between two states (q, qd) or (q, qd, qdd), `order` of them each."""

    positions: Manifold
    order: int

    def __call__(self, states: Sequence[Any], w: Any, h: Any) -> Any:
        """Return q (nq,); states are those of both ends, w is of `interpolation_weights`, h the step (s)."""
        n = self.order
        start, end = states[:n], states[n:]
        d = to_tangent(self.positions, start[0], end[0])
        moved = w[n] * d + w[1] * h * start[1] + w[n + 1] * h * tangent_rate(self.positions, d, end[1])
        if n == 3:
            moved = moved + w[2] * h * h * tangent_second_rate(self.positions, 0.0 * d, start[1], start[2])
            moved = moved + w[n + 2] * h * h * tangent_second_rate(self.positions, d, end[1], end[2])
        return from_tangent(self.positions, start[0], moved)
