"""Motion of bodies and points of mechanisms: poses, twists and momenta; those in the plane have z = 0."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.forces.base import frame_axes
from screwgraph.model.mechanism.mass_matrix import body_moments
from screwgraph.model.mechanism.parts import Body, complete_directions
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial import Array, cross, dot, matrix, vector

BODY, POINT = "body:", "point:"
"""Before names that bodies and points share."""
Triple = tuple[Any, Any, Any]
ZERO = (0.0, 0.0, 0.0)
UNITS: tuple[Triple, ...] = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


@dataclass(frozen=True)
class MechanismFrame:
    """A body, whose frame has its origin in the first point; or a point, whose axes are those of the world."""

    label: str
    body: Body | None
    origin: int


@dataclass(frozen=True, eq=False)
class FrameMotion:
    """Positions of a mechanism and, one after the other, their rates up to the one that is asked for.

    Places on bodies are linear in natural coordinates: rates are the same functions of rates of coordinates.
    """

    rates: tuple[Motion, ...]

    @classmethod
    def from_rates(cls, mechanism: Mechanism, q: Any, *rates: Any) -> FrameMotion:
        """Return the motion of coordinates q, and of their first rates."""
        return cls((Motion(mechanism, q, q), *(Motion(mechanism, q, rate) for rate in rates)))

    @property
    def mechanism(self) -> Mechanism:
        """What moves."""
        return self.rates[0].mechanism

    def origin(self, i: int, order: int) -> Triple:
        """Return the position of a point, or a rate of it."""
        return _in_space(self.rates[0].point(i) if order == 0 else self.rates[order].velocity(i))

    def ways(self, body: Body, order: int) -> list[tuple[Any, ...]]:
        """Return the lines of a body's basis, or a rate of them."""
        motion = self.rates[order]
        return [motion.way(line) if order == 0 else motion.relative_velocity(line) for line in body.lines]

    def axes(self, body: Body, order: int) -> list[Triple]:
        """Return the axes of a body's frame, or a rate of them."""
        found = [_in_space(axis) for axis in frame_axes(body, self.ways(body, order))]
        return [*found, *(UNITS[2:] if order == 0 else [ZERO])][:3]

    def frame(self, frame: MechanismFrame) -> list[Array]:
        """Return the pose (4, 4) of a frame, then its body twist (6,) and its rate, as far as rates are known."""
        axes = UNITS if frame.body is None else self.axes(frame.body, 0)
        place = self.origin(frame.origin, 0)
        T = matrix([[*(axis[k] for axis in axes), place[k]] for k in range(3)] + [[0.0, 0.0, 0.0, 1.0]])
        found, w, v = [T], ZERO, ZERO
        for order in range(1, len(self.rates)):
            rate = self.origin(frame.origin, order)
            own: list[Any] = [dot(axis, rate) for axis in axes]
            turning = ZERO if frame.body is None else self._turning(frame.body, axes, order)
            if order == 2:  # axes that turn see the velocity change
                own = [a - b for a, b in zip(own, cross(w, v), strict=True)]
                turning = turning[0] - w[1] * w[2], turning[1] + w[0] * w[2], turning[2] - w[0] * w[1]
            w, v = turning, (own[0], own[1], own[2])
            found.append(vector([*w, *v]))
        return found

    def _turning(self, body: Body, axes: Sequence[Triple], order: int) -> Triple:
        """Return the rates of x and y seen along axes: the angular velocity in these; at order 2, see `frame`."""
        x, y, _ = self.axes(body, order)
        return dot(axes[2], y), -dot(axes[2], x), dot(axes[1], x)

    def momentum(self, order: int = 1) -> tuple[Triple, Triple]:
        """Return the momentum about the world's origin (kg m^2/s) and along its axes (kg m/s), or their rates."""
        angular, linear = list(ZERO), list(ZERO)
        for body in self.mechanism.bodies:
            places, rates = self._nodes(body, 0), self._nodes(body, order)
            for place, row in zip(places, body_moments(body), strict=True):
                share = [sum((m * rate[k] for m, rate in zip(row, rates, strict=True)), start=0.0) for k in range(3)]
                angular = [a + b for a, b in zip(angular, cross(place, share), strict=True)]
                linear = linear if place is not places[0] else [a + b for a, b in zip(linear, share, strict=True)]
        return (angular[0], angular[1], angular[2]), (linear[0], linear[1], linear[2])

    def _nodes(self, body: Body, order: int) -> list[Triple]:
        """Return the first point of a body and the directions that span it, or a rate of them."""
        return [self.origin(body.points[0], order), *map(_in_space, complete_directions(self.ways(body, order)))]

    def total_center(self, order: int) -> Triple:
        """Return the centre of mass of all bodies, or a rate of it."""
        mass, first = sum(body.mass for body in self.mechanism.bodies), list(ZERO)
        for body in self.mechanism.bodies:
            parts = zip(body_moments(body)[0], self._nodes(body, order), strict=True)
            for part, node in parts:
                first = [a + part * b for a, b in zip(first, node, strict=True)]
        return first[0] / mass, first[1] / mass, first[2] / mass

    def centroidal_momentum(self, order: int = 1) -> list[Any]:
        """Return the momentum about the centre of mass (6,), angular part first, or its rate (order 2)."""
        angular, linear = self.momentum(order)
        about = cross(self.total_center(0), linear)
        return [*(a - b for a, b in zip(angular, about, strict=True)), *linear]


def _in_space(way: Sequence[Any]) -> Triple:
    x, y, *z = way
    return x, y, z[0] if z else 0.0


def unit_rates(mechanism: Mechanism, q: Any) -> list[FrameMotion]:
    """Return the motions of one coordinate at unit rate each."""
    return [FrameMotion.from_rates(mechanism, q, row.tolist()) for row in np.eye(mechanism.n)]


def find_frames(mechanism: Mechanism, names: Sequence[str]) -> tuple[MechanismFrame, ...]:
    """Return bodies and points by their names. Raises InputError where a name is that of none, or of both."""
    return tuple(_find_frame(mechanism, name) for name in names)


def _find_frame(mechanism: Mechanism, name: str) -> MechanismFrame:
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
    if is_body and bodies[own].is_rod:
        raise InputError(
            f"body {own!r} has no frame",
            why="all of it lies on one line, and its turning about that is no motion",
            fix="name one of its points, or give it a point or vector beside that line",
        )
    return (
        MechanismFrame(name, bodies[own], bodies[own].points[0]) if is_body else MechanismFrame(name, None, points[own])
    )


def check_mechanism_mass(mechanism: Mechanism) -> None:
    """Raise InputError where no body has a mass."""
    if not sum(float(body.mass) for body in mechanism.nominal.bodies) > 0.0:
        raise InputError(f"mechanism {mechanism.name!r} has no centre of mass", fix="give bodies masses")
