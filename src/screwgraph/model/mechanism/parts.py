"""What a planar mechanism is made of: points, bodies, angles, guides, gears, and what pushes them.

Points and angles are named by their place in `Mechanism.points` and `Mechanism.angles`. Values may be numbers, or
scalars of a tape where they are to be estimated.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line

Scalar = Any
"""A number, or a scalar of a tape that stands for one."""


@dataclass(frozen=True)
class Point:
    """A point, and where it is at the beginning, or, if `fixed`, always (m)."""

    name: str
    x: float
    y: float
    fixed: bool = False


@dataclass(frozen=True)
class Body:
    """A rigid body through two or more points.

    `shape` holds where its points are in its own frame (m): origin in the first point, x axis toward the second.
    `com` is the centre of mass there, `inertia` the moment of inertia about the first point (kg m^2).
    """

    __repr__ = one_line

    name: str
    points: tuple[int, ...]
    shape: tuple[tuple[Scalar, Scalar], ...]
    mass: Scalar = 0.0
    inertia: Scalar = 0.0
    com: tuple[Scalar, Scalar] = (0.0, 0.0)

    @property
    def base(self) -> tuple[int, int]:
        """The first two points."""
        return self.points[0], self.points[1]

    @property
    def length(self) -> Scalar:
        """The distance between the first two points (m)."""
        return self.shape[1][0]


@dataclass(frozen=True)
class Angle:
    """A relative coordinate: the angle (rad) of the line between two points, from the x axis or from another line."""

    name: str
    of: tuple[int, int]
    origin: tuple[int, int] | None = None
    start: float | None = None


@dataclass(frozen=True)
class Slider:
    """A point that stays on the line through two others, the guide; these may move, or not."""

    name: str
    point: int
    guide: tuple[int, int]


@dataclass(frozen=True)
class Gear:
    """Angles that roll on each other: angles[0] = ratio * angles[1] + offset (rad)."""

    name: str
    angles: tuple[int, int]
    ratio: float
    offset: float


@dataclass(frozen=True)
class Spring:
    """A linear spring between two points (N/m, m), or about an angle (N m/rad, rad)."""

    name: str
    points: tuple[int, int] | None
    angle: int | None
    stiffness: Scalar
    rest: Scalar


@dataclass(frozen=True)
class Damper:
    """A viscous damper between two points (N s/m), or about an angle (N m s/rad)."""

    name: str
    points: tuple[int, int] | None
    angle: int | None
    damping: Scalar


@dataclass(frozen=True)
class Force:
    """A constant force on a point, in the directions of the ground (N)."""

    name: str
    point: int
    value: tuple[Scalar, Scalar]


@dataclass(frozen=True)
class Torque:
    """A constant torque (N m): on a body, or between the two lines of an angle."""

    name: str
    body: int | None
    angle: int | None
    value: Scalar
