"""What pushes a mechanism, given by energies and powers; forces are their derivatives."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from screwgraph.model.mechanism.constraints import coordinate_value
from screwgraph.model.mechanism.parts import Body, Line, complete_directions
from screwgraph.spatial import cross, dot, gradient

if TYPE_CHECKING:
    from screwgraph.model.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Motion:
    """A mechanism's coordinates and velocities, by place in q, of any kind of number.

    `slipping` are velocities of which forces are functions while powers are differentiated by `qd`: the same.
    """

    mechanism: Mechanism
    q: Any
    qd: Any
    slipping: Any = None

    @property
    def slip(self) -> Motion:
        """The same motion at velocities that stay while powers are differentiated."""
        return self if self.slipping is None else Motion(self.mechanism, self.q, self.slipping)

    def point(self, i: int) -> tuple[Any, ...]:
        """Return where a point is (m)."""
        return tuple(coordinate_value(self.q, slot) for slot in self.mechanism.point_slots[i])

    def velocity(self, i: int) -> tuple[Any, ...]:
        """Return the velocity of a point (m/s); that of a fixed one is zero."""
        return tuple(self.qd[slot] if isinstance(slot, int) else 0.0 for slot in self.mechanism.point_slots[i])

    def way(self, line: Line) -> tuple[Any, ...]:
        """Return the way along a line (m)."""
        return find_way(*(self.point(i) for i in line))

    def relative_velocity(self, line: Line) -> tuple[Any, ...]:
        """Return the velocity of the second point of a line less that of the first (m/s)."""
        return find_way(*(self.velocity(i) for i in line))

    def place(self, body: Body, at: Sequence[Any]) -> list[Any]:
        """Return where a place (m) on a body, in its frame, is."""
        return combine(self.point(body.points[0]), [self.way(line) for line in body.lines], body.coefficients(at))

    def place_rate(self, body: Body, at: Sequence[Any]) -> list[Any]:
        """Return the velocity of a place on a body (m/s); it is linear in those of coordinates."""
        rates = [self.relative_velocity(line) for line in body.lines]
        return combine(self.velocity(body.points[0]), rates, body.coefficients(at))

    def axes(self, body: Body) -> list[Sequence[Any]]:
        """Return the axes of a body's frame."""
        return frame_axes(body, [self.way(line) for line in body.lines])

    def turning(self, body: Body) -> tuple[Any, ...]:
        """Return the angular velocity of a body (rad/s): one number in the plane, else by axes of the ground.

        A rod's has no part along it.
        """
        ways, rates = ([f(line) for line in body.lines] for f in (self.way, self.relative_velocity))
        if len(ways[0]) == 2:
            ((x, y),), ((u, v),) = ways, rates
            return ((x * v - y * u) / (body.length * body.length),)
        duals, total = body.duals, [0.0, 0.0, 0.0]
        share = 1.0 if body.is_rod else 0.5
        for rate, dual in zip(rates, duals, strict=True):
            parts = [dot(dual, other) for other in duals]
            across = [sum((c * w[k] for c, w in zip(parts, ways, strict=True)), start=0.0) for k in range(3)]
            total = [a + share * b for a, b in zip(total, cross(across, rate), strict=True)]
        return tuple(total)

    def angle(self, i: int) -> Any:
        """Return an angle (rad)."""
        return self.q[self.mechanism.angle_slots[i]]

    def angular_velocity(self, i: int) -> Any:
        """Return the rate of an angle (rad/s)."""
        return self.qd[self.mechanism.angle_slots[i]]


def find_way(first: Sequence[Any], second: Sequence[Any]) -> tuple[Any, ...]:
    """Return the way from the first of two points to the second: of rates, its rate."""
    return tuple(b - a for a, b in zip(first, second, strict=True))


def frame_axes(body: Body, ways: Sequence[Sequence[Any]]) -> list[Sequence[Any]]:
    """Return the axes of a body's frame, given its lines; of rates of its lines, their rates."""
    d = len(body.com)
    units = [[1.0 if i == k else 0.0 for i in range(d)] for k in range(len(ways))]
    return complete_directions([combine((0.0,) * d, ways, body.coefficients(unit)) for unit in units])


def combine(origin: Sequence[Any], ways: Sequence[Sequence[Any]], parts: Sequence[Any]) -> list[Any]:
    """Return an origin and so many times each of the directions that ways of a body's basis span."""
    total = list(origin)
    for way, part in zip(complete_directions(ways), parts, strict=True):
        total = [a + part * b for a, b in zip(total, way, strict=True)]
    return total


def coordinate_slots(mechanism: Mechanism, points: Sequence[int] = (), angle: int | None = None) -> tuple[int, ...]:
    """Return the places in q of points and heads of vectors that are not fixed, and of an angle."""
    own = [slot for i in points for slot in mechanism.point_slots[i] if isinstance(slot, int)]
    return tuple(dict.fromkeys([*own, *([] if angle is None else [mechanism.angle_slots[angle]])]))


def no_effect(motion: Motion, part: Any) -> Any:
    """Return no energy and no power."""
    return 0.0


@dataclass(frozen=True)
class Influence:
    """Something that pushes: functions of a motion and of one part of the mechanism, `parts` names these.

    Generalised forces are minus the derivative of `potential` (J) by q, minus that of half the `dissipation` (W) by
    qd, and that of `power` (W), which is linear in qd but for `slip`, by qd. `slots` are the coordinates that it
    depends on.
    """

    parts: Callable[[Mechanism], Sequence[Any]]
    slots: Callable[[Mechanism, Any], tuple[int, ...]]
    potential: Callable[[Motion, Any], Any] = no_effect
    dissipation: Callable[[Motion, Any], Any] = no_effect
    power: Callable[[Motion, Any], Any] = no_effect

    @property
    def depends_on_velocity(self) -> bool:
        """Whether its forces depend on velocities."""
        return self.dissipation is not no_effect

    def forces(self, motion: Motion, part: Any, by: Sequence[int] | None = None) -> dict[int, Any]:
        """Return the generalised forces (N, N m) of a part, by coordinate; all of its own by default."""
        own = self.slots(motion.mechanism, part)
        by = own if by is None else by
        q, qd = {i: motion.q[i] for i in own}, {i: motion.qd[i] for i in own}

        def potential(x: Mapping[int, Any]) -> list[Any]:
            return [self.potential(Motion(motion.mechanism, x, qd), part)]

        def work(x: Mapping[int, Any]) -> list[Any]:
            moving = Motion(motion.mechanism, q, x, qd)
            return [self.power(moving, part), self.dissipation(moving, part)]

        pull = gradient(potential, q, by)[0]
        push, drag = gradient(work, qd, by)
        return {i: b - 0.5 * c - a for i, a, b, c in zip(by, pull, push, drag, strict=True)}
