"""The trapezoidal rule."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.optimize.manifold_code import moved
from screwgraph.plan.collocation.base import Point
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class Trapezoidal:
    """Accelerations are linear between knots, velocities their integral; positions go along the mean velocity.

    Second order. Kelly (2017), eq. (6.1); on curved joints the step is the exponential of the mean twist.
    """

    weights: tuple[float, ...] = (0.5, 0.5)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return the gaps of position and velocity at the end of a step, (2 nv,)."""
        (q, v, a), (q_end, v_end, a_end) = points
        reached = positions.retract(q, 0.5 * h * (v + v_end))
        return concatenate(positions.defect(reached, q_end), v_end - v - 0.5 * h * (a + a_end))

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return velocities that are linear between knots, so that they keep their limits, and their integral."""
        (q, v, _), (_, v_end, _) = points
        return moved(positions, q, h * part * (v + 0.5 * part * (v_end - v))), v + part * (v_end - v)
