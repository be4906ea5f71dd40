"""Sensors on a mechanism: read from YAML or Python objects, their residuals, and what they read along a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import Place, Value, quote_text, suggest_name
from screwgraph.model.mechanism.constraints import Constraint
from screwgraph.model.mechanism.force_balance import select_constraints
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.keys import SENSOR
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.pin_force import PinForce, make_pin_forces
from screwgraph.model.mechanism.read_forces import ReadContext, read_parts
from screwgraph.model.mechanism.read_values import Ends, find_angle, find_line, find_point, read_number, read_numbers
from screwgraph.model.sensors import SENSORS, SensorPlace
from screwgraph.model.sensors.sensor import OPTIONS, Sensor, list_pushed
from screwgraph.spatial import dot, sqrt, vector

FORMS = {name: kind.mechanism for name, kind in SENSORS.items() if kind.mechanism}
"""Kinds of sensors that mechanisms have."""


@dataclass(frozen=True, eq=False)
class MechanismMotion:
    """Measurable quantities of a mechanism's q, qd, qdd, multipliers and torques (SI units); parts are given by number.

    `inputs` are the motors whose torques are unknown, `pushed` the points that contacts push on.
    """

    mechanism: Mechanism
    states: Mapping[str, Any]
    inputs: tuple[int, ...] = ()
    pushed: tuple[int, ...] = ()

    def force(self, point: int) -> Any:
        """Return the force of the contact on a point (d,)."""
        d = self.mechanism.dimension
        place = d * self.pushed.index(point)
        return self.states["forces"][place : place + d]

    def joint_torque(self, angle: int) -> Any:
        """Return the torque of a motor (1,), which is unknown."""
        motor = self.mechanism.motors.index(self.mechanism.angles[angle].name)
        return self.states["tau"][[self.inputs.index(motor)]]

    def pin_force(self, pin: tuple[int, int]) -> Any:
        """Return the force on a body at one of its points (d,), see `PinForce`, in the axes of the body."""
        number, _ = pin
        ground = self._ground_force(pin)
        return vector([dot(axis, ground) for axis in self._motion().axes(self.mechanism.bodies[number])])

    def tension(self, body: int) -> Any:
        """Return the force on a body at its second point, along the line from its first (1,)."""
        first, second = self.mechanism.bodies[body].points[:2]
        way, ground = self._motion().way((first, second)), self._ground_force((body, second))
        return vector([dot(way, ground) / sqrt(dot(way, way))])

    def _ground_force(self, pin: tuple[int, int]) -> list[Any]:
        """Return the force on a body at one of its points, in the axes of the ground."""
        force, multipliers = _pin_forces(self.mechanism)[pin], list[Any]()
        rows = _rows_of_multipliers(self.mechanism)
        for held in force.held:
            multipliers.append([self.states["multipliers"][i] for i in rows[held.rows.constraint]])
        return force.force(self.states["q"], self.states["qdd"], multipliers)

    def coordinate(self, slot: int, order: int) -> Any:
        """Return a coordinate (1,), or its rate (order 1) or acceleration (order 2)."""
        return self.states[("q", "qd", "qdd")[order]][[slot]]

    def joint_position(self, slot: int) -> Any:
        """Return a coordinate (1,)."""
        return self.coordinate(slot, 0)

    def joint_velocity(self, slot: int) -> Any:
        """Return the rate of a coordinate (1,)."""
        return self.coordinate(slot, 1)

    def position(self, point: int) -> Any:
        """Return where a point is (d,)."""
        return vector(self._motion().point(point))

    def line(self, points: tuple[int, int]) -> tuple[Any, Any]:
        """Return the way from one point to another."""
        return self._motion().way(points)

    def angle(self, angle: int) -> Any:
        """Return an angle among the coordinates."""
        return self._motion().angle(angle)

    def angular_velocity(self, body: int) -> Any:
        """Return the angular velocity of a body; in space (3,) in its axes."""
        own, motion = self.mechanism.bodies[body], self._motion("qd")
        if self.mechanism.dimension == 3:
            turning = motion.turning(own)
            return vector([dot(axis, turning) for axis in motion.axes(own)])
        (x, y), (vx, vy) = motion.way(own.base), motion.relative_velocity(own.base)
        return (x * vy - y * vx) / (x * x + y * y)

    def specific_force(self, body: int, at: tuple[float, ...]) -> Any:
        """Return acceleration minus gravity at a place on a body (m) in its frame, in its axes (d,)."""
        own, motion = self.mechanism.bodies[body], self._motion("qdd")
        force = [a - g for a, g in zip(motion.place_rate(own, at), self.mechanism.gravity, strict=True)]
        return vector([dot(axis, force) for axis in motion.axes(own)])

    def _motion(self, rate: str = "q") -> Motion:
        return Motion(self.mechanism, self.states["q"], self.states[rate])


@lru_cache(maxsize=64)
def _pin_forces(mechanism: Mechanism) -> Mapping[tuple[int, int], PinForce]:
    """Return the force on each body at each of its points."""
    found = make_pin_forces(mechanism, select_constraints(mechanism))
    return {(force.number, force.point): force for force in found.values()}


@lru_cache(maxsize=64)
def _rows_of_multipliers(mechanism: Mechanism) -> Mapping[Constraint, range]:
    """Return the places of the multipliers of each constraint among those of all rows that count."""
    ends = np.cumsum([0, *(len(kept) for kept in mechanism.kept_rows)]).tolist()
    return {c: range(a, b) for c, a, b in zip(mechanism.constraints, ends, ends[1:], strict=False)}


@dataclass(frozen=True)
class SensorResidual:
    """Predicted less measured reading of a sensor, by the states that its kind names."""

    mechanism: Mechanism
    place: SensorPlace
    inputs: tuple[int, ...] = ()
    pushed: tuple[int, ...] = ()

    def __call__(self, *states: Any, measured: Any) -> Any:
        """Residual, a row a column."""
        named = dict(zip(FORMS[self.place.kind].of, states, strict=True))
        motion = MechanismMotion(self.mechanism, named, self.inputs, self.pushed)
        return SENSORS[self.place.kind].residual(motion, self.place, measured)


def simulate_sensors(
    mechanism: Mechanism,
    motion: Mapping[str, Any],
    sensors: tuple[Sensor, ...] | None = None,
    rng: np.random.Generator | None = None,
) -> dict[str, Float[np.ndarray, " N"]]:
    """Return what sensors read along a motion, by column; with the noise of each where there is a generator.

    Args:
        mechanism: what moves.
        motion: its positions, velocities and accelerations: {"q": (N, n), "v": (N, n), "a": (N, n)}; where sensors
            read forces, "multipliers" (N, m), see `constraint_multipliers`, torques of all motors "tau" (N, motors), or
            forces of contacts "forces", {point: (N, d)}; on other points there are none.
        sensors: by default those of the mechanism.
        rng: draws the noise.

    Raises:
        InputError: the motion lacks what a sensor reads.
    """
    found: dict[str, np.ndarray] = {}
    states = {"q": motion["q"], "qd": motion.get("v"), "qdd": motion.get("a")}
    states |= {name: motion.get(name) for name in ("multipliers", "tau")}
    every, sensors = tuple(range(len(mechanism.motors))), mechanism.sensors if sensors is None else sensors
    pushed = list_pushed(sensors)
    if pushed and "forces" in motion:
        none = np.zeros((len(motion["q"]), mechanism.dimension))
        states["forces"] = np.hstack([motion["forces"].get(mechanism.points[i].name, none) for i in pushed])
    for sensor in sensors:
        if missing := [name for name in sensor.form.of if states.get(name) is None]:
            raise InputError(f"sensor {sensor.name!r} needs {', '.join(missing)} of the motion")
        own = [np.asarray(states[name], dtype=float).T for name in sensor.form.of]  # one row a coordinate
        rows = np.asarray(SensorResidual(mechanism, sensor.place, every, pushed)(*own, measured=0.0), dtype=float)
        values = np.broadcast_to(rows.reshape(len(sensor.columns), -1), (len(sensor.columns), own[0].shape[1]))
        if rng is not None:
            values = values + sensor.spread * rng.standard_normal(values.shape)
        found |= dict(zip(sensor.columns, values, strict=True))
    return found


def read_sensors(value: Value | None, around: ReadContext, places: dict[str, object]) -> tuple[Sensor, ...]:
    """Read a list of sensors. Raises ModelError."""
    for entry in value.content if value is not None and isinstance(value.content, tuple) else ():
        _check_kinds(entry)
    return read_parts(value, "sensor", SENSOR, _sensor, around, places)


def _check_kinds(entry: Value) -> None:
    """Raise ModelError where an entry has a kind of sensor that robots alone have."""
    for kind in entry.content if isinstance(entry.content, dict) else ():
        if kind in SENSORS and kind not in FORMS:
            raise ModelError(
                f"{kind} is a sensor of robots, not of mechanisms",
                at=entry.content[kind].at,
                why=f"mechanisms have {', '.join(FORMS)}",
                fix="force: POINT reads what the ground does there" if SENSORS[kind].is_contact else "",
            )


def parse_sensors(mechanism: Mechanism, given: Any) -> tuple[Sensor, ...]:
    """Return sensors from entries like a file's, [{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}, ...].

    Raises:
        InputError: a sensor that the mechanism cannot have.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        example = '{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}'
        raise InputError(f"sensors = {given!r} is not a list", fix=f"give sensors=[{example}]")
    ends = Ends(mechanism.points, mechanism.vectors, mechanism.dimension)
    around = ReadContext(ends, mechanism.bodies, mechanism.angles, {}, mechanism.coordinates)
    try:
        found = read_sensors(_value(given), around, {})
        check_motors(found, mechanism)
        return found
    except ModelError as error:
        raise InputError(error.what, at=error.at, why=error.why, fix=error.fix) from error


def _value(given: Any) -> Value:
    """Return Python objects as values of a file."""
    place = Place("sensors")
    if isinstance(given, Mapping):
        return Value({str(key): _value(item) for key, item in given.items()}, place)
    if isinstance(given, Sequence) and not isinstance(given, str):
        return Value(tuple(_value(item) for item in given), place)
    return Value(None if given is None else str(given), place)


def _sensor(name: str, entries: dict[str, Value], around: ReadContext) -> Sensor:
    kinds = [kind for kind in FORMS if kind in entries]
    if len(kinds) != 1:
        what = f"sensor {name!r} measures {' and '.join(kinds) or 'nothing'}"
        raise ModelError(what, at=entries[""].at, fix=f"give it one of {', '.join(FORMS)}")
    form = FORMS[kinds[0]]
    sigma = read_number(entries["sigma"], around.names)
    if not sigma > 0.0:
        raise entries["sigma"].complaint("a standard deviation is positive")
    if "at" in entries and not form.has_place:
        raise entries["at"].complaint(f"a sensor of {kinds[0]} has no place on a body")
    target, d = _target(form.on, entries[kinds[0]], around), around.ends.dimension
    if "forces" in form.of:
        _check_moves(entries[kinds[0]], around)
    at = read_numbers(entries["at"], around.names, d) if "at" in entries else (0.0,) * d
    options = {option: read_number(entries[option], around.names) for option in OPTIONS if option in entries}
    try:
        return Sensor(name, kinds[0], target, (sigma,), at, in_space=d == 3, **options)
    except InputError as error:
        raise ModelError(error.what, at=entries[""].at, why=error.why, fix=error.fix) from error


def _check_moves(value: Value, around: ReadContext) -> None:
    """Raise ModelError where a point is fixed."""
    point = around.points[find_point(value, around.points)]
    if point.fixed:
        why = "the ground holds it, whatever pushes there"
        fix = "name a point that moves; load_cell: reads the force on a body at a pin"
        raise ModelError(f"{value.what}: point {point.name!r} is fixed", at=value.at, why=why, fix=fix)


def check_motors(sensors: Sequence[Sensor], mechanism: Mechanism) -> None:
    """Raise ModelError where a sensor reads the torque of an angle that is no motor."""
    for sensor in sensors:
        at = mechanism.places.get(f"sensor {sensor.name!r}")
        if sensor.form.on == "motor" and mechanism.angles[sensor.target].name not in mechanism.motors:
            known = ", ".join(mechanism.motors) or "none: add motors: [angle, ...] to the file"
            what = f"sensor {sensor.name!r}: {mechanism.angles[sensor.target].name!r} is no motor"
            raise ModelError(what, at=at, fix=f"motors are {known}")


def _target(on: str, value: Value, around: ReadContext) -> int | tuple[int, int]:
    if on == "point":
        return find_point(value, around.points)
    if on == "motor":
        return find_angle(value, around.angles)
    if on == "pin":
        return _pin(value, around)
    if on == "bar":
        return _bar(value, around)
    if on == "coordinate":
        return _coordinate(value, around)
    if on == "angle":
        if isinstance(value.content, tuple) and around.ends.dimension == 2:
            return find_line(value, around.points)
        return find_angle(value, around.angles)
    return _body(value, around)


def _coordinate(value: Value, around: ReadContext) -> int:
    text, names = value.text(), around.coordinates
    if text not in names:
        raise ModelError(
            f"{value.what}: there is no coordinate {quote_text(text)}",
            at=value.at,
            fix=suggest_name(text, names, "the coordinates are"),
        )
    return names.index(text)


def _pin(value: Value, around: ReadContext) -> tuple[int, int]:
    """Return a body, and a point of it."""
    items = value.items()
    if len(items) != 2:
        raise value.complaint("it is on a body and one of its points: [coupler, P1]")
    body, point = _body(items[0], around), find_point(items[1], around.points)
    if point not in around.bodies[body].points:
        names = ", ".join(around.points[i].name for i in around.bodies[body].points)
        raise items[1].complaint(f"body {around.bodies[body].name!r} has the points {names}")
    return body, point


def _bar(value: Value, around: ReadContext) -> int:
    number = _find_body(value, around)
    if len(around.bodies[number].points) < 2:
        why = "a line needs two points"
        raise ModelError(f"{value.what}: body {quote_text(value.text())} has one point", at=value.at, why=why)
    return number


def _body(value: Value, around: ReadContext) -> int:
    number = _find_body(value, around)
    if around.bodies[number].is_rod:
        why = "all of it lies on one line: it has no axes across that"
        fix = "tension: reads the force along it"
        raise ModelError(f"{value.what}: body {quote_text(value.text())} is a rod", at=value.at, why=why, fix=fix)
    return number


def _find_body(value: Value, around: ReadContext) -> int:
    text, names = value.text(), [body.name for body in around.bodies]
    if text not in names:
        raise ModelError(
            f"{value.what}: there is no body {quote_text(text)}",
            at=value.at,
            fix=suggest_name(text, names, "the bodies are"),
        )
    return names.index(text)
