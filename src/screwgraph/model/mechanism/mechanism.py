"""A planar mechanism, and its natural coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base import html_display
from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError, one_line
from screwgraph.model.functions_of_time import FunctionOfTime
from screwgraph.model.mechanism.build_constraints import constraints_of
from screwgraph.model.mechanism.closure import ClosingProgram, characteristic_length, find_assembled, trace_closure
from screwgraph.model.mechanism.constraints import Constraint
from screwgraph.model.mechanism.mobility import MechanismMobility, analyse_mobility
from screwgraph.model.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Slider, Spring, Torque
from screwgraph.model.model import Column, Model, validate_place
from screwgraph.model.robot import FAR, make_unknown_name_error, moved_in_words
from screwgraph.model.sensors.sensor import Sensor
from screwgraph.spatial.manifolds import Vector

if TYPE_CHECKING:
    from screwgraph.model.mechanism.live_mechanism import LiveMechanism


STANDARD_GRAVITY = (0.0, -9.81)
"""m/s^2."""
AXES = ("x", "y")


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
    sensors: tuple[Sensor, ...] = ()
    gravity: tuple[Any, Any] = STANDARD_GRAVITY
    motors: tuple[str, ...] = ()
    driven: Mapping[str, FunctionOfTime] = field(default_factory=dict)
    independent: tuple[str, ...] = ()
    velocities: Mapping[str, float] = field(default_factory=dict)
    places: Mapping[str, object] = field(default_factory=dict)
    source: MechanismSource | None = None
    bound: BoundParameters | None = None

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
        kinds = ("points", "bodies", "angles", "sliders", "gears", "springs", "dampers", "forces", "torques", "sensors")
        parts = [f"{len(getattr(self, kind))} {kind}" for kind in kinds if getattr(self, kind)]
        return f"<mechanism {self.name!r}: {', '.join(parts)}>"

    @cached_property
    def coordinates(self) -> tuple[str, ...]:
        """Names of the coordinates q, x and y of each point that is not fixed ("x:P1"), then the angles by name."""
        free = [f"{axis}:{point.name}" for point in self.points if not point.fixed for axis in AXES]
        return (*free, *(angle.name for angle in self.angles))

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
        named = [(name, "rad" if i in angles else "m") for i, name in enumerate(self.coordinates)]
        found = {kind: tuple(Column(name, name, unit + rate) for name, unit in named) for kind, rate in rates.items()}
        efforts = {"rad": "N m", "m": "N"}
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
    def point_slots(self) -> tuple[tuple[int | float, int | float], ...]:
        """For each point, where its x and y stand in q, or, of fixed points, what they are (m): an int or a float."""
        slots: list[tuple[int | float, int | float]] = []
        free = 0
        for point in self.points:
            slots.append((_place(point.x), _place(point.y)) if point.fixed else (2 * free, 2 * free + 1))
            free += not point.fixed
        return tuple(slots)

    @cached_property
    def angle_slots(self) -> tuple[int, ...]:
        """Place of each angle in q."""
        return tuple(range(self.n - len(self.angles), self.n))

    def guess(self) -> Float[np.ndarray, " n"]:
        """Return the coordinates as the points and angles are given: closed only as well as these are."""
        points = [value for point in self.points if not point.fixed for value in (point.x, point.y)]
        return np.array([*points, *(self._angle(angle) for angle in self.angles)], dtype=float)

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
    def position(self, q: Float[np.ndarray, "*batch n"], reference: int | str) -> Float[np.ndarray, "*batch 2"]:
        """Return where a point is (m) at coordinates q."""
        q = np.asarray(q)
        slots = self.point_slots[self.point(reference)]
        return np.stack([q[..., s] if isinstance(s, int) else np.full(q.shape[:-1], s) for s in slots], axis=-1)

    def locate(self, q: Float[np.ndarray, "N n"], name: Any, at: Sequence[float] | None) -> Float[np.ndarray, "N 2"]:
        """Return where a point, or a place (2,) on a body in its axes, is (m) at coordinates q. Raises InputError."""
        if at is None:
            return self.position(q, name)
        (x, y), bodies = validate_place(name, at, 2), {body.name: body for body in self.bodies}
        if name not in bodies:
            raise InputError(f"no body is called {name!r}", fix=f"the bodies are {', '.join(bodies)}")
        first, second = (self.position(q, i) for i in bodies[name].base)
        along = (second - first) / np.linalg.norm(second - first, axis=-1, keepdims=True)
        return first + x * along + y * np.stack([-along[..., 1], along[..., 0]], axis=-1)

    def _angle(self, angle: Angle) -> float:
        if angle.start is not None:
            return angle.start
        direction = self._direction(angle.of)
        if angle.origin is None:
            return float(np.arctan2(direction[1], direction[0]))
        a = self._direction(angle.origin)
        return float(np.arctan2(a[0] * direction[1] - a[1] * direction[0], a @ direction))

    def _direction(self, line: tuple[int, int]) -> Float[np.ndarray, "2"]:
        first, second = (self.points[i] for i in line)
        return np.array([second.x - first.x, second.y - first.y])


def _place(value: Any) -> Any:
    """Return a fixed place as float, since whole numbers are slots of q; symbols stay."""
    return float(value) if isinstance(value, (int, float)) else value


@lru_cache(maxsize=64)
def without_metadata(mechanism: Mechanism) -> Mechanism:
    """Return a mechanism without what its equations do not depend on, the same one for all questions about it."""
    return replace(mechanism, places={}, sensors=(), driven={}, independent=(), velocities={}, source=None)


# Mechanisms that are open where the file draws them: what stands elsewhere when they are assembled.


def remarks_on_drawing(mechanism: Mechanism) -> tuple[str, ...]:
    """Say which angles and points the assembled mechanism has elsewhere than drawn; nothing where it is closed.

    Where angles have values to start at, these count, and points are drawn roughly.

    Raises:
        ModelError: it cannot be assembled.
    """
    drawn, home, moved = mechanism.guess(), mechanism.home, []
    pairs = zip(mechanism.angle_slots, mechanism.angles, strict=True)
    meant = {slot for slot, angle in pairs if angle.start is not None} or set(range(mechanism.n))
    for i, name in enumerate(mechanism.coordinates):
        if i not in meant:
            continue
        way, where = float(home[i] - drawn[i]), f"{name} is at {home[i]:.4g} m, not {drawn[i]:.4g}"
        far = abs(way) / characteristic_length(mechanism)
        if i in mechanism.angle_slots:
            far = abs(np.remainder(way + np.pi, 2.0 * np.pi) - np.pi)
            where = f"angle {name!r} is at {np.degrees(home[i]):.4g} deg, not {np.degrees(drawn[i]):.4g}"
        if far > FAR:
            moved.append((float(far), where))
    if not moved:
        return ()
    file = None if mechanism.source is None else mechanism.source.file
    what = f"the mechanism is open as drawn; assembled, {moved_in_words(moved)}"
    return (one_line(what, at=file, why="motions begin there", fix="draw points and start: of angles closed"),)
