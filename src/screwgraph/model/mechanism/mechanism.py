"""A mechanism in the plane or in space, and its natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.closure import ClosingProgram, find_assembled, trace_closure
from screwgraph.model.mechanism.constraints import Constraint
from screwgraph.model.mechanism.drawing_remarks import remarks_on_drawing
from screwgraph.model.mechanism.mobility import MechanismMobility, analyse_mobility
from screwgraph.model.mechanism.parts import (
    ORIGIN,
    Angle,
    Body,
    ConstantAngle,
    Damper,
    Force,
    Gear,
    GroundContact,
    Line,
    Point,
    Slider,
    Spring,
    Torque,
    complete_directions,
)
from screwgraph.model.model import Column, Model, validate_place
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.spatial.manifolds import Vector

if TYPE_CHECKING:
    from screwgraph.model.mechanism.live_mechanism import LiveMechanism


STANDARD_GRAVITY = {2: (0.0, -9.81), 3: (0.0, 0.0, -9.81)}
"""By dimension (m/s^2)."""
AXES = ("x", "y", "z")


@dataclass(frozen=True)
class MechanismSource:
    """The text of a mechanism, `values` of all its parameters, and those that were `given` instead."""

    data: bytes
    file: str
    values: tuple[tuple[str, float], ...]
    given: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, eq=False)
class BoundParameters:
    """The values of the parameters of a live mechanism: numbers of any kind."""

    live: LiveMechanism
    values: tuple[Any, ...]


@dataclass(frozen=True, eq=False)
class Mechanism(Model):
    """Points, the bodies through them, and what else ties and pushes them; as it stands at the beginning.

    In space, of `dimension` 3, bodies have unit `vectors`, too: points whose coordinates are those of their heads. Each
    slider has its distance along the guide among the coordinates.

    `motors` are the coordinates along which there are unknown torques (N m) of angles and forces (N) of points,
    `driven` those among them whose motion is a function of time, which simulations follow. `independent` are the names
    of the coordinates that were chosen as independent ones, empty where the choice is left to
    `independent_coordinates`. `velocities` are those that the motion begins with (by coordinate; rad/s, m/s), `places`
    says where in a file each part stands. `bound` are the values that parameters have where they are inputs.
    """

    _repr_html_ = html_display.html
    kind: ClassVar[str] = "mechanism"
    has_frames: ClassVar[bool] = False

    name: str
    points: tuple[Point, ...]
    bodies: tuple[Body, ...]
    angles: tuple[Angle, ...] = ()
    sliders: tuple[Slider, ...] = ()
    gears: tuple[Gear, ...] = ()
    springs: tuple[Spring, ...] = ()
    dampers: tuple[Damper, ...] = ()
    forces: tuple[Force, ...] = ()
    torques: tuple[Torque, ...] = ()
    contacts: tuple[GroundContact, ...] = ()
    ground: tuple[tuple[float, ...], float] | None = None
    sensors: tuple[Sensor, ...] = ()
    gravity: tuple[Any, ...] = STANDARD_GRAVITY[2]
    motors: tuple[str, ...] = ()
    driven: Mapping[str, FunctionOfTime] = field(default_factory=dict)
    independent: tuple[str, ...] = ()
    velocities: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, object] = field(default_factory=dict)
    source: MechanismSource | None = None
    bound: BoundParameters | None = None
    dimension: int = 2
    vectors: tuple[Point, ...] = ()
    constant_angles: tuple[ConstantAngle, ...] = ()

    @property
    def nominal(self) -> Mechanism:
        """The mechanism with its file's numbers in the place of parameters that are inputs."""
        return self if self.bound is None else self.bound.live.nominal

    @cached_property
    def motor_slots(self) -> tuple[int, ...]:
        """Places in q of the coordinates that the motors drive."""
        return tuple(self.coordinates.index(name) for name in self.motors)

    def motor_forces(self, tau: Any) -> Any:
        """Return the forces on all coordinates (..., n) that efforts of the motors (..., motors) are (N m, N).

        Raises:
            InputError: another number of torques.
        """
        try:
            given = np.asarray(tau)
        except ValueError as error:
            raise InputError("the torques are no array of numbers", why=str(error)[:80]) from error
        if given.ndim and given.shape[-1] not in (1, len(self.motors)):
            raise InputError(f"the torques have the shape {given.shape}", why=f"there are {len(self.motors)} motors")
        found = np.zeros((*given.shape[:-1], self.n), dtype=np.result_type(given, float))
        found[..., self.motor_slots] = given
        return found

    def check_motors(self) -> None:
        """Raise InputError where no coordinate has a motor."""
        if not self.motors:
            raise InputError(f"mechanism {self.name!r} has no motors", fix="add motors: [coordinate, ...] to its file")

    def __repr__(self) -> str:
        kinds = ("points", "vectors", "bodies", "angles", "sliders", "constant_angles", "gears")
        kinds = (*kinds, "springs", "dampers", "forces", "torques", "contacts", "sensors")
        parts = [f"{len(getattr(self, kind))} {kind.replace('_', ' ')}" for kind in kinds if getattr(self, kind)]
        return f"<mechanism {self.name!r}: {', '.join(parts)}>"

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q: x, y[, z] of points and vectors that are not fixed ("x:P1"), then others by name.

        These are angles and, in space, distances of sliders.
        """
        axes = AXES[: self.dimension]
        free = [f"{axis}:{end.name}" for end in (*self.points, *self.vectors) if not end.fixed for axis in axes]
        return (*free, *self.relative_names)

    @property
    def relative_names(self) -> tuple[str, ...]:
        """Names of the angles and, in space, of the sliders, whose coordinates are distances."""
        sliders = self.sliders if self.dimension == 3 else ()
        return *(angle.name for angle in self.angles), *(slider.name for slider in sliders)

    @property
    def n(self) -> int:
        """The number of coordinates."""
        return len(self.coordinates)

    @property
    def nq(self) -> int:
        """The number of coordinates."""
        return self.n

    @property
    def nv(self) -> int:
        """The number of velocities."""
        return self.n

    @property
    def is_closed(self) -> bool:
        """True: constraints tie the coordinates of each body."""
        return True

    @property
    def manifold(self) -> Vector:
        """The manifold of positions."""
        return Vector(self.n)

    @cached_property
    def columns(self) -> Mapping[str, tuple[Column, ...]]:
        """The columns of q, qd, qdd and tau: names that are labels, too, and units."""
        angles, rates = set(self.angle_slots), {"q": "", "qd": "/s", "qdd": "/s²"}
        heads = {i for slots in self.point_slots[len(self.points) : ORIGIN] for i in slots if isinstance(i, int)}
        units = ["rad" if i in angles else "" if i in heads else "m" for i in range(self.n)]
        named = list(zip(self.coordinates, units, strict=True))
        found = {
            kind: tuple(Column(name, name, (unit or "1" * bool(rate)) + rate) for name, unit in named)
            for kind, rate in rates.items()
        }
        efforts = {"rad": "N m", "m": "N", "": "N m"}
        tau = (Column(name, name, efforts[dict(named)[name]]) for name in self.motors)
        return {**found, "tau": tuple(tau)}

    @property
    def owners(self) -> tuple[str, ...]:
        """The coordinates, in words."""
        return tuple(f"coordinate {name!r}" for name in self.coordinates)

    @property
    def drivers(self) -> tuple[str, ...]:
        """The motors, in words."""
        return tuple(f"motor {name!r}" for name in self.motors)

    @property
    def effort_limits(self) -> Float[np.ndarray, " motors"]:
        """Infinite: files say nothing of the torques that motors have."""
        return np.full(len(self.motors), np.inf)

    def neutral(self) -> Float[np.ndarray, " n"]:
        """Return the assembled position. Raises ModelError where it cannot be assembled."""
        return self.home.copy()

    @cached_property
    def constraints(self) -> tuple[Constraint, ...]:
        """The constraints that involve coordinates."""
        return tuple(c for c in constraints_of(self) if c.coordinates)

    @cached_property
    def closing_program(self) -> ClosingProgram:
        """Phi(q) and Phi_q(q) as straight-line code."""
        return trace_closure(self)

    @cached_property
    def home(self) -> Float[np.ndarray, " n"]:
        """The coordinates at the beginning, assembled. Raises ModelError where it cannot be assembled."""
        if self.bound is not None:
            return self.nominal.home
        return find_assembled(self, self.closing_program.interpreter)

    @cached_property
    def warnings(self) -> tuple[str, ...]:
        """Remarks in one line: angles and points that stand elsewhere than drawn when assembled. Raises ModelError."""
        return remarks_on_drawing(self)

    @cached_property
    def freedom(self) -> MechanismMobility:
        """Rank, rows that count, degrees of freedom, independent coordinates. Raises ModelError."""
        if self.bound is not None:
            return self.nominal.freedom
        defining = [row for _, row in self.defining_rows]
        return analyse_mobility(self, self.closing_program.interpreter, self.home, defining)

    @cached_property
    def defining_rows(self) -> tuple[tuple[int, int], ...]:
        """For each angle, its place in q, and the row of the constraint that defines it."""
        defined = [c.defines for c in self.constraints for _ in range(c.rows)]
        return tuple((slot, defined.index(slot)) for slot in self.angle_slots)

    @cached_property
    def kept_rows(self) -> tuple[tuple[int, ...], ...]:
        """For each of `constraints`, its rows that count; the others follow from them. Raises ModelError."""
        kept, first, found = set(self.freedom.kept), 0, []
        for constraint in self.constraints:
            found.append(tuple(i for i in range(constraint.rows) if first + i in kept))
            first += constraint.rows
        return tuple(found)

    @property
    def dof(self) -> int:
        """Degrees of freedom. Raises ModelError where it cannot be assembled."""
        return self.freedom.dof

    @property
    def independent_coordinates(self) -> tuple[str, ...]:
        """Names of the independent coordinates z: those that the file chose, else well-conditioned ones."""
        return tuple(self.coordinates[i] for i in self.freedom.independent)

    @cached_property
    def point_slots(self) -> tuple[tuple[int | float, ...], ...]:
        """For each point and vector, where its coordinates stand in q, or, of fixed ones, what they are (m).

        The former are ints, the latter floats. The last is `ORIGIN`, the tail of all vectors.
        """
        slots: list[tuple[int | float, ...]] = []
        dimension, free = self.dimension, 0
        for end in (*self.points, *self.vectors):
            if end.fixed:
                slots.append(tuple(_place(x) for x in end.place[:dimension]))
                continue
            slots.append(tuple(range(dimension * free, dimension * (free + 1))))
            free += 1
        return (*slots, (0.0,) * dimension)

    @cached_property
    def angle_slots(self) -> tuple[int, ...]:
        """Place of each angle in q."""
        first = self.n - len(self.relative_names)
        return tuple(range(first, first + len(self.angles)))

    @cached_property
    def distance_slots(self) -> tuple[int, ...]:
        """Place in q of the distance of each slider along its guide; in the plane, there are none."""
        first = self.n - len(self.relative_names) + len(self.angles)
        return tuple(range(first, self.n))

    def guide_line(self, slider: Slider) -> Line:
        """Return the line of a slider's guide: two points, or a vector."""
        first, second = slider.guide
        return (first if second < len(self.points) else ORIGIN), second

    def guess(self) -> Float[np.ndarray, " n"]:
        """Return the coordinates as the points and angles are given: closed only as well as these are."""
        free = [end.place[: self.dimension] for end in (*self.points, *self.vectors) if not end.fixed]
        distances = [self._distance(slider) for slider in self.sliders] if self.distance_slots else []
        return np.array([*(x for place in free for x in place), *map(self._angle, self.angles), *distances], float)

    @check_arguments
    def index(self, coordinate: str) -> int:
        """Return where a coordinate stands in q.

        Raises:
            InputError: no coordinate has that name.
        """
        if coordinate not in self.coordinates:
            raise make_unknown_name_error("coordinate", coordinate, self.coordinates)
        return self.coordinates.index(coordinate)

    def point(self, reference: int | str) -> int:
        """Return the number of a point, given that or its name.

        Raises:
            InputError: there is no such point.
        """
        names = [point.name for point in self.points]
        if isinstance(reference, (int, np.integer)) and not isinstance(reference, bool):
            if not 0 <= reference < len(names):
                raise InputError(f"there is no point {reference}", fix=f"points have the numbers 0 to {len(names) - 1}")
            return int(reference)
        if not isinstance(reference, str) or reference not in names:
            raise make_unknown_name_error("point", reference, names)
        return names.index(reference)

    @check_arguments
    def position(self, q: Float[np.ndarray, "*batch n"], reference: int | str) -> Float[np.ndarray, "*batch d"]:
        """Return where a point is (m) at coordinates q."""
        return self._end(np.asarray(q), self.point(reference))

    def locate(self, q: Float[np.ndarray, "N n"], name: Any, at: Sequence[float] | None) -> Float[np.ndarray, "N d"]:
        """Return where a point, or a place on a body in its axes, is (m) at coordinates q. Raises InputError."""
        if at is None:
            return self.position(q, name)
        place, bodies = validate_place(name, at, self.dimension).tolist(), {body.name: body for body in self.bodies}
        if name not in bodies:
            raise InputError(f"no body is called {name!r}", fix=f"the bodies are {', '.join(bodies)}")
        body = bodies[name]
        ways = [list(np.moveaxis(self.way(q, line), -1, 0)) for line in body.lines]
        parts = zip(body.coefficients(place), complete_directions(ways), strict=True)
        return self._end(q, body.points[0]) + sum(float(part) * np.stack(list(way), axis=-1) for part, way in parts)

    def way(self, q: Float[np.ndarray, "*batch n"], line: Line) -> Float[np.ndarray, "*batch d"]:
        """Return the way along a line (m) at coordinates q."""
        tail, head = line
        return self._end(q, head) - self._end(q, tail)

    def _end(self, q: Float[np.ndarray, "*batch n"], number: int) -> Float[np.ndarray, "*batch d"]:
        """Return where a point, or the head of a vector, is (m)."""
        slots = self.point_slots[number]
        return np.stack([q[..., s] if isinstance(s, int) else np.full(q.shape[:-1], s) for s in slots], axis=-1)

    def _angle(self, angle: Angle) -> float:
        if angle.start is not None:
            return angle.start
        b = self._direction(angle.of)
        a = np.array([1.0, 0.0, 0.0]) if angle.origin is None else self._direction(angle.origin)
        n = np.array([0.0, 0.0, 1.0]) if angle.about is None else self._direction(angle.about)
        n = n / np.linalg.norm(n)
        return float(np.arctan2(n @ np.cross(a, b), a @ b - (a @ n) * (b @ n)))

    def _distance(self, slider: Slider) -> float:
        guide = self._direction(self.guide_line(slider))
        return float(guide @ self._direction((slider.guide[0], slider.point)) / np.linalg.norm(guide))

    def _direction(self, line: Line) -> Float[np.ndarray, "3"]:
        ends, (tail, head) = (*self.points, *self.vectors), line
        return np.array(ends[head].place) - (np.zeros(3) if tail == ORIGIN else np.array(ends[tail].place))


def _place(value: Any) -> Any:
    """Return a fixed place as float, since whole numbers are slots of q; symbols stay."""
    return float(value) if isinstance(value, (int, float)) else value


@lru_cache(maxsize=64)
def without_metadata(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without what its equations do not depend on, the same one for all questions about it."""
    aside: dict[str, Any] = {"places": {}, "sensors": (), "contacts": (), "ground": None, "driven": {}}
    return replace(mechanism, **aside, independent=(), velocities={}, source=None)
