"""Hermite-Simpson collocation, with a point in the middle of each step."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from screwgraph.motion.integration_rules.rule import Positions, Rule, combine_rates

_ROWS = ((5.0 / 24.0, 8.0 / 24.0, -1.0 / 24.0), (1.0 / 6.0, 4.0 / 6.0, 1.0 / 6.0))
HERMITE_SIMPSON = Rule("hermite_simpson", 4, (0.0, 0.5, 1.0), _ROWS, _ROWS, corrections=2)
"""Accelerations are quadratic between knots; the dynamics hold in the middle, too. Fourth order: Lobatto IIIA.

Kelly (2017), eq. (6.4); Hairer & Wanner (1996), section IV.5.
"""


def midpoint_value(x: Any, x1: Any, rate: Any, rate1: Any, h: Any) -> Any:
    """Return the cubic through two values with these rates, half-way. Hargraves & Paris (1987), (7)."""
    return (x + x1) / 2.0 + (h / 8.0) * (rate - rate1)


def simpson_positions(q: Any, q1: Any, v: Any, v1: Any, a: Any, a1: Any, *, dt: Any) -> Any:
    """Return the error of positions beyond Simpson's integral of velocities. Hargraves & Paris (1987), (10)."""
    return q1 - q - combine_rates(HERMITE_SIMPSON.weights, (v, midpoint_value(v, v1, a, a1, dt), v1), dt)


@dataclass(frozen=True)
class SimpsonPositions:
    """The same on a manifold of positions."""

    positions: Positions

    def __call__(self, q: Any, q1: Any, v: Any, v1: Any, a: Any, a1: Any, *, dt: Any) -> Any:
        """Residual (nv,)."""
        end = _steps(self.positions, v, v1, a, a1, dt)[1]
        return self.positions.defect(self.positions.retract(q, end), q1)


@dataclass(frozen=True)
class SimpsonVelocities:
    """Error of velocities beyond Simpson's integral of accelerations a(q, v, force), by the equations of motion.

    The point in the middle is no unknown: its position and velocity are those of cubics. `positions` are the manifold,
    None of vectors.
    """

    acceleration: Callable[[Any, Any, Any], Any]
    positions: Positions | None = None

    def __call__(self, q: Any, q1: Any, v: Any, v1: Any, a: Any, a1: Any, *, dt: Any, force: Any = 0.0) -> Any:
        """Residual (n,); `force` is that in the middle of the step."""
        if self.positions is None:
            middle = midpoint_value(q, q1, v, v1, dt)
        else:
            middle = self.positions.retract(q, _steps(self.positions, v, v1, a, a1, dt)[0])
        halfway = self.acceleration(middle, midpoint_value(v, v1, a, a1, dt), force)
        return v1 - v - combine_rates(HERMITE_SIMPSON.weights, (a, halfway, a1), dt)


def _steps(positions: Positions, v: Any, v1: Any, a: Any, a1: Any, dt: Any) -> list[Any]:
    """Return the tangents that lead to the middle and to the end of a step."""
    return HERMITE_SIMPSON.steps(positions, (v, midpoint_value(v, v1, a, a1, dt), v1), (), dt)
