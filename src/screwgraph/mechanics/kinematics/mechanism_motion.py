"""Motion of bodies and points of planar mechanisms: poses and twists in the plane z = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.parts import Body
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial import Array, matrix, vector

BODY, POINT = "body:", "point:"
"""Before names that bodies and points share."""
Pair = tuple[Any, Any]


@dataclass(frozen=True)
class PlanarFrame:
    """A body, whose frame has its origin in the first point and x along the line to the second; or a point.

    Axes of points are those of the world.
    """

    label: str
    body: Body | None
    origin: int


@dataclass(frozen=True, eq=False)
class PlanarMotion:
    """Positions of a mechanism and, one after the other, their rates up to the one that is asked for.

    Places on bodies are linear in natural coordinates: rates are the same functions of rates of coordinates.
    """

    rates: tuple[Motion, ...]

    @classmethod
    def from_rates(cls, mechanism: Mechanism, q: Any, *rates: Any) -> PlanarMotion:
        """Return the motion of coordinates q, and of their first rates."""
        return cls((Motion(mechanism, q, q), *(Motion(mechanism, q, rate) for rate in rates)))

    def origin(self, i: int, order: int) -> Pair:
        """Return the position of a point, or a rate of it."""
        return self.rates[0].point(i) if order == 0 else self.rates[order].velocity(i)

    def direction(self, body: Body, order: int) -> Pair:
        """Return the x axis of a body, or a rate of it."""
        motion = self.rates[order]
        x, y = motion.way(body.base) if order == 0 else motion.relative_velocity(body.base)
        return x / body.length, y / body.length

    def center(self, body: Body, order: int) -> Pair:
        """Return the centre of mass of a body, or a rate of it."""
        (x, y), (ax, ay), (u, v) = self.origin(body.points[0], order), self.direction(body, order), body.com
        return x + u * ax - v * ay, y + u * ay + v * ax

    def turning(self, body: Body, order: int) -> Any:
        """Return the angular velocity (order 1) or acceleration (2) of a body: x axis times its rate."""
        return _cross(self.direction(body, 0), self.direction(body, order))

    def frame(self, frame: PlanarFrame) -> list[Array]:
        """Return the pose (4, 4) of a frame, then its body twist (6,) and its rate, as far as rates are known."""
        ax, ay = (1.0, 0.0) if frame.body is None else self.direction(frame.body, 0)
        x, y = self.origin(frame.origin, 0)
        T = matrix([[ax, -ay, 0.0, x], [ay, ax, 0.0, y], [0.0, 0.0, 1.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        found, turning = [T], []
        for order in range(1, len(self.rates)):
            vx, vy = self.origin(frame.origin, order)
            u, v = ax * vx + ay * vy, ax * vy - ay * vx
            turning.append(0.0 if frame.body is None else self.turning(frame.body, order))
            if order == 2:  # axes that turn see the velocity change
                u, v = u + turning[0] * found[1][4], v - turning[0] * found[1][3]
            found.append(vector([0.0, 0.0, turning[-1], u, v, 0.0]))
        return found

    def momentum(self, order: int = 1) -> tuple[Any, Any, Any]:
        """Return the momentum about the world's origin (kg m^2/s), then that along x and y (kg m/s), or its rate."""
        L, px, py = 0.0, 0.0, 0.0
        for body in self.rates[0].mechanism.bodies:
            v = self.center(body, order)
            about = body.inertia - body.mass * (body.com[0] ** 2 + body.com[1] ** 2)
            L = L + body.mass * _cross(self.center(body, 0), v) + about * self.turning(body, order)
            px, py = px + body.mass * v[0], py + body.mass * v[1]
        return L, px, py

    def total_center(self, order: int) -> Pair:
        """Return the centre of mass of all bodies, or a rate of it."""
        bodies = self.rates[0].mechanism.bodies
        mass, places = sum(body.mass for body in bodies), [self.center(body, order) for body in bodies]
        x, y = (sum(b.mass * place[k] for b, place in zip(bodies, places, strict=True)) for k in range(2))
        return x / mass, y / mass

    def centroidal_momentum(self, order: int = 1) -> list[Any]:
        """Return the momentum about the centre of mass (6,), angular part first, or its rate (order 2)."""
        L, px, py = self.momentum(order)
        return [0.0, 0.0, L - _cross(self.total_center(0), (px, py)), px, py, 0.0]


def unit_rates(mechanism: Mechanism, q: Any) -> list[PlanarMotion]:
    """Return the motions of one coordinate at unit rate each."""
    return [PlanarMotion.from_rates(mechanism, q, row.tolist()) for row in np.eye(mechanism.n)]


def find_frames(mechanism: Mechanism, names: Sequence[str]) -> tuple[PlanarFrame, ...]:
    """Return bodies and points by their names. Raises InputError where a name is that of none, or of both."""
    return tuple(_find_frame(mechanism, name) for name in names)


def _find_frame(mechanism: Mechanism, name: str) -> PlanarFrame:
    if not isinstance(name, str):
        raise InputError(f"expected the name of a body or a point (str), got {name!r}")
    bodies = {body.name: body for body in mechanism.bodies}
    points = {point.name: i for i, point in enumerate(mechanism.points)}
    own = name.removeprefix(BODY) if name.startswith(BODY) else name.removeprefix(POINT)
    is_body = own in bodies and not name.startswith(POINT)
    is_point = own in points and not name.startswith(BODY)
    if is_body and is_point:
        raise InputError(
            f"{name!r} is the name of a body and of a point", fix=f"say {BODY + name!r} or {POINT + name!r}"
        )
    if not (is_body or is_point):
        raise make_unknown_name_error("body or point", name, (*bodies, *points))
    return PlanarFrame(name, bodies[own], bodies[own].points[0]) if is_body else PlanarFrame(name, None, points[own])


def check_mechanism_mass(mechanism: Mechanism) -> None:
    """Raise InputError where no body has a mass."""
    if not sum(float(body.mass) for body in mechanism.nominal.bodies) > 0.0:
        raise InputError(f"mechanism {mechanism.name!r} has no centre of mass", fix="give bodies masses")


def _cross(a: Pair, b: Pair) -> Any:
    return a[0] * b[1] - a[1] * b[0]
