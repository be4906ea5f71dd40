"""What sensors on a mechanism measure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.spatial import atan2, cos, sin, vector


@dataclass(frozen=True)
class PointPosition:
    """The position of a point (m) less what was measured."""

    mechanism: Mechanism
    point: int

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (2,)."""
        return vector(Motion(self.mechanism, q, q).point(self.point)) - measured


@dataclass(frozen=True)
class CoordinateAngle:
    """An angle among the coordinates (rad), by its place in q, less what was measured, turns and all."""

    mechanism: Mechanism
    slot: int

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (1,)."""
        return q[self.slot] - measured


@dataclass(frozen=True)
class LineAngle:
    """The angle (rad) of a line between two points from the x axis less what was measured, whole turns apart."""

    mechanism: Mechanism
    line: tuple[int, int]

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (1,)."""
        x, y = Motion(self.mechanism, q, q).way(self.line)
        c, s = cos(measured), sin(measured)
        return atan2(c * y - s * x, c * x + s * y)


@dataclass(frozen=True)
class Gyroscope:
    """The angular velocity (rad/s) of a body less what was measured."""

    mechanism: Mechanism
    body: int

    def __call__(self, q: Any, qd: Any, *, measured: Any) -> Any:
        """Residual (1,)."""
        base, motion = self.mechanism.bodies[self.body].base, Motion(self.mechanism, q, qd)
        (x, y), (vx, vy) = motion.way(base), motion.relative_velocity(base)
        return (x * vy - y * vx) / (x * x + y * y) - measured


@dataclass(frozen=True)
class Accelerometer:
    """Specific force (m/s^2) at a place on a body, in its axes, less what was measured: acceleration minus gravity.

    The body's x axis points from its first point to its second, the place (m) is in this frame.
    """

    mechanism: Mechanism
    body: int
    at: tuple[float, float] = (0.0, 0.0)

    def __call__(self, q: Any, qdd: Any, *, measured: Any) -> Any:
        """Residual (2,)."""
        body = self.mechanism.bodies[self.body]
        (x, y), (ax, ay) = (
            Motion(self.mechanism, q, q).way(body.base),
            Motion(self.mechanism, q, qdd).velocity(body.points[0]),
        )
        bx, by = Motion(self.mechanism, q, qdd).relative_velocity(body.base)
        along, across = self.at[0] / body.length, self.at[1] / body.length
        fx = ax + along * bx - across * by - self.mechanism.gravity[0]
        fy = ay + along * by + across * bx - self.mechanism.gravity[1]
        return vector([x * fx + y * fy, x * fy - y * fx]) / body.length - measured
