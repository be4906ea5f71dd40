"""Euler's semi-implicit method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.optimize import Manifold
from screwgraph.optimize.manifold_code import moved
from screwgraph.plan.collocation.base import Point
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class Euler:
    """Accelerations are held; positions go along the velocity at the end of the step. First order, symplectic."""

    weights: tuple[float, ...] = (1.0, 0.0)

    def defects(self, positions: Manifold, points: list[Point], h: Any) -> Any:
        """Return the gaps of position and velocity at the end of a step, (2 nv,)."""
        (q, v, a), (q_end, v_end, _) = points
        return concatenate(positions.defect(positions.retract(q, h * v_end), q_end), v_end - v - h * a)

    def between(self, positions: Manifold, points: list[Point], h: Any, part: Any) -> tuple[Any, Any]:
        """Return what goes along the velocity at the end, and velocities that go there at a steady rate."""
        (q, v, _), (_, v_end, _) = points
        return moved(positions, q, part * h * v_end), v + part * (v_end - v)
