"""Hermite-Simpson collocation, with a point in the middle of each step."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.optimize.manifold_code import moved
from screwgraph.plan.collocation.base import Point
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class HermiteSimpson:
    """Accelerations are quadratic between knots; dynamics hold in the middle, too. Fourth order.

    Kelly (2017), eq. (6.4). On curved joints mean twists are moved along: steps should turn little.
    """

    weights: tuple[float, ...] = (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return the gaps of position and velocity in the middle and at the end of a step, (4 nv,)."""
        (q, v, a), (q_mid, v_mid, a_mid), (q_end, v_end, a_end) = points
        middle = positions.retract(q, h * (5.0 * v + 8.0 * v_mid - v_end) / 24.0)
        end = positions.retract(q, h * (v + 4.0 * v_mid + v_end) / 6.0)
        return concatenate(
            positions.defect(middle, q_mid),
            v_mid - 0.5 * (v + v_end) - h / 8.0 * (a - a_end),
            positions.defect(end, q_end),
            v_end - v - h / 6.0 * (a + 4.0 * a_mid + a_end),
        )

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return the parabolas through the velocities of each step's three points, and their integrals."""
        (q, v, _), (_, v_mid, _), (_, v_end, _) = points
        slope, bend = 4.0 * v_mid - 3.0 * v - v_end, 2.0 * (v + v_end) - 4.0 * v_mid
        step = h * part * (v + part * (0.5 * slope + part * bend / 3.0))
        return moved(positions, q, step), v + part * (slope + part * bend)
