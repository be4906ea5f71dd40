"""Hermite-Simpson integration between two steps: cubics through both ends, Simpson's rule with their middle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.mechanism.factors.expressions import acceleration_of
from screwgraph.models.mechanism.mechanism import Mechanism


def hermite_simpson(q: Any, q1: Any, v: Any, v1: Any, a: Any, a1: Any, *, dt: Any) -> Any:
    """What positions change by beyond Simpson's integral of velocities: order 4. Hargraves & Paris (1987), (10)."""
    return q1 - q - (dt / 6.0) * (v + 4.0 * _middle(v, v1, a, a1, dt) + v1)


@dataclass(frozen=True)
class HermiteSimpsonVelocity:
    """The same for velocities: accelerations in the middle are those of the equations of motion there."""

    mechanism: Mechanism

    def __call__(self, q: Any, q1: Any, v: Any, v1: Any, a: Any, a1: Any, *, dt: Any, force: Any = 0.0) -> Any:
        """What velocities change by beyond Simpson's integral; `force` (n,) is added to the mechanism's own."""
        q_middle, v_middle = _middle(q, q1, v, v1, dt), _middle(v, v1, a, a1, dt)
        a_middle = acceleration_of(self.mechanism, q_middle, v_middle, force)
        return v1 - v - (dt / 6.0) * (a + 4.0 * a_middle + a1)


def _middle(x: Any, x1: Any, rate: Any, rate1: Any, dt: Any) -> Any:
    return (x + x1) / 2.0 + (dt / 8.0) * (rate - rate1)
