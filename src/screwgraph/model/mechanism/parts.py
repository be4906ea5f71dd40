"""What a mechanism is made of: points, unit vectors, bodies, angles, guides, gears, and what pushes them.

Points and angles are named by their place in `Mechanism.points` and `Mechanism.angles`; unit vectors of mechanisms in
space are numbered after the points. Values may be numbers, or scalars of a tape where they are to be estimated.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.spatial import cross, dot, sqrt

Scalar = Any
"""A number, or a scalar of a tape that stands for one."""
Line = tuple[int, int]
"""From one point to another; or `ORIGIN` and a unit vector."""
ORIGIN = -1
"""In the place of a line's first point: its second is the head of a unit vector."""


@dataclass(frozen=True)
class Point:
    """A point (m), or the head of a unit vector: where it is at the beginning, or, if `fixed`, always.

    In the plane, z is zero.
    """

    name: str
    x: float
    y: float
    fixed: bool = False
    z: float = 0.0

    @property
    def place(self) -> tuple[float, float, float]:
        """The three coordinates."""
        return self.x, self.y, self.z


@dataclass(frozen=True)
class Body:
    """A rigid body through two or more points, or, in space, points and unit vectors.

    `shape` holds where its points, then its vectors are in its own frame (m): origin in the first point; in the plane,
    x axis toward the second. `com` is the centre of mass there, `inertia` the moment of inertia about the first point
    (kg m^2); in space, of bodies that are no rods, the tensor's xx, yy, zz, xy, xz, yz. `basis` are the places in
    `shape` of the lines from the first point, and vectors, that span it: one in the plane or of a rod, else three.
    Those in `follows` are combinations of the first two of these, and their cross product.
    """

    __repr__ = one_line

    name: str
    points: tuple[int, ...]
    shape: tuple[tuple[Scalar, ...], ...]
    mass: Scalar = 0.0
    inertia: Any = 0.0
    com: tuple[Scalar, ...] = (0.0, 0.0)
    vectors: tuple[int, ...] = ()
    basis: tuple[int, ...] = (1,)
    follows: tuple[int, ...] = ()

    def line(self, place: int) -> Line:
        """Return the line from the first point to a point of `shape`, or a vector of it."""
        heads = (*self.points, *self.vectors)
        return (self.points[0] if place < len(self.points) else ORIGIN), heads[place]

    @property
    def lines(self) -> tuple[Line, ...]:
        """The lines of the basis."""
        return tuple(self.line(place) for place in self.basis)

    @property
    def base(self) -> Line:
        """The first line of the basis: the first two points, in the plane."""
        return self.line(self.basis[0])

    @property
    def ends(self) -> tuple[int, ...]:
        """The first point, and the heads of the basis."""
        return self.points[0], *(head for _, head in self.lines)

    @property
    def length(self) -> Scalar:
        """The length of the first line of the basis (m): the distance between the first two points, in the plane."""
        return norm(self.shape[self.basis[0]])

    @property
    def is_rod(self) -> bool:
        """Whether it is a line in space, whose turning about itself is no motion."""
        return len(self.com) == 3 and len(self.basis) == 1

    @property
    def duals(self) -> tuple[tuple[Scalar, ...], ...]:
        """Rows g of its frame: g r are the parts of its `complete_directions` that lead to a place r."""
        axes = complete_directions([self.shape[place] for place in self.basis])
        if len(axes) < 3:  # in the plane, or of a rod, axes are at right angles
            return tuple(tuple(x / dot(axis, axis) for x in axis) for axis in axes)
        a, b, c = axes
        volume = dot(a, cross(b, c))
        return tuple(tuple(x / volume for x in cross(*pair)) for pair in ((b, c), (c, a), (a, b)))

    def coefficients(self, place: Sequence[Scalar]) -> tuple[Scalar, ...]:
        """Return the parts of its `complete_directions` that lead from the first point to a place in its frame (m)."""
        if len(place) == 2:
            return place[0] / self.length, place[1] / self.length
        return tuple(dot(row, place) for row in self.duals)


def complete_directions(ways: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return what spans a body, given the lines of its basis: in the plane, the line and that at right angles to it."""
    if len(ways[0]) > 2:
        return list(ways)
    ((x, y),) = ways
    return [(x, y), (-y, x)]


def norm(components: Sequence[Scalar]) -> Scalar:
    """Return the length of a way."""
    first, *others = components
    if not any((isinstance(x, float) and x != 0.0) or not isinstance(x, float) for x in others):
        return first
    return sqrt(dot(components, components))


@dataclass(frozen=True)
class Angle:
    """A relative coordinate: the angle (rad) of a line from the x axis or from another line; in space, `about` a third.

    In space it is the angle between the parts of both lines at right angles to that third.
    """

    name: str
    of: Line
    origin: Line | None = None
    start: float | None = None
    about: Line | None = None


@dataclass(frozen=True)
class ConstantAngle:
    """Two lines, in space, whose angle is constant (rad)."""

    name: str
    lines: tuple[Line, Line]
    angle: Scalar


@dataclass(frozen=True)
class Slider:
    """A point that stays on the line through two others, the guide; these may move, or not.

    In space the guide may also be a point and a unit vector.
    """

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
    """A damper between two points (N s/m, N), or about an angle (N m s/rad, N m): viscous, with Coulomb `friction`."""

    name: str
    points: tuple[int, int] | None
    angle: int | None
    damping: Scalar
    friction: Scalar = 0.0


@dataclass(frozen=True)
class Force:
    """A constant force on a point, in the directions of the ground (N)."""

    name: str
    point: int
    value: tuple[Scalar, ...]


@dataclass(frozen=True)
class GroundContact:
    """A point that may touch the ground, and those numbers of its law that the file says, by name (SI units)."""

    name: str
    point: int
    numbers: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True)
class Torque:
    """A constant torque (N m): on a body, or between the two lines of an angle.

    On bodies in space, three numbers in the directions of the ground.
    """

    name: str
    body: int | None
    angle: int | None
    value: Any
