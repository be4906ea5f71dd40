"""Newmark's method of linear acceleration."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.optimize.manifold_code import moved
from screwgraph.plan.collocation.base import Point
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class LinearAcceleration:
    """Accelerations are linear between knots, velocities and positions their exact integrals. Second order.

    Newmark (1959), beta = 1/6; as the trapezoidal rule, with a smaller error at the same cost.
    """

    weights: tuple[float, ...] = (0.5, 0.5)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return the gaps of position and velocity at the end of a step, (2 nv,)."""
        (q, v, a), (q_end, v_end, a_end) = points
        reached = positions.retract(q, 0.5 * h * (v + v_end) - h * h / 12.0 * (a_end - a))
        return concatenate(positions.defect(reached, q_end), v_end - v - 0.5 * h * (a + a_end))

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return the integrals of accelerations that are linear between knots."""
        (q, v, a), (_, _, a_end) = points
        gained = h * part * (a + 0.5 * part * (a_end - a))
        step = h * part * (v + h * part * (0.5 * a + part * (a_end - a) / 6.0))
        return moved(positions, q, step), v + gained
