"""The classical Runge-Kutta method of order four between two steps."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.mechanism.factors.expressions import acceleration_of
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class RungeKutta:
    """A state less where the method leads from the one before."""

    mechanism: Mechanism

    def __call__(self, q: Any, q1: Any, v: Any, v1: Any, *, dt: Any, force: Any = 0.0) -> Any:
        """Positions, then velocities (2 n,); `force` (n,) is constant over the step."""

        def rate(q: Any, v: Any) -> Any:
            return acceleration_of(self.mechanism, q, v, force)

        a1 = rate(q, v)
        v2 = v + dt / 2 * a1
        a2 = rate(q + dt / 2 * v, v2)
        v3 = v + dt / 2 * a2
        a3 = rate(q + dt / 2 * v2, v3)
        v4 = v + dt * a3
        a4 = rate(q + dt * v3, v4)
        change = concatenate(v + 2 * v2 + 2 * v3 + v4, a1 + 2 * a2 + 2 * a3 + a4)
        return concatenate(q1 - q, v1 - v) - dt / 6 * change
