"""Sensors on a mechanism: read from YAML or Python objects, their residuals, and what they read along a motion."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats import Place, Value, quote_text, suggest_name
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.forces.base import subtract
from screwgraph.model.mechanism.keys import SENSOR
from screwgraph.model.mechanism.mechanism import Mechanism
from screwgraph.model.mechanism.read_forces import ReadContext, read_parts
from screwgraph.model.mechanism.read_values import Ends, find_angle, find_line, find_point, read_number, read_numbers
from screwgraph.model.sensors import SENSORS, SensorPlace
from screwgraph.model.sensors.sensor import OPTIONS, Sensor
from screwgraph.spatial import dot, vector

FORMS = {name: kind.mechanism for name, kind in SENSORS.items() if kind.mechanism}
"""Kinds of sensors that mechanisms have."""


@dataclass(frozen=True, eq=False)
class MechanismMotion:
    """Measurable quantities of a mechanism's q, qd and qdd (SI units); parts are given by number."""

    mechanism: Mechanism
    states: Mapping[str, Any]

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
        force = subtract(self.mechanism.gravity, motion.place_rate(own, at))
        return vector([dot(axis, force) for axis in motion.axes(own)])

    def _motion(self, rate: str = "q") -> Motion:
        return Motion(self.mechanism, self.states["q"], self.states[rate])


@dataclass(frozen=True)
class SensorResidual:
    """Predicted less measured reading of a sensor, by the states that its kind names."""

    mechanism: Mechanism
    place: SensorPlace

    def __call__(self, *states: Any, measured: Any) -> Any:
        """Residual, a row a column."""
        motion = MechanismMotion(self.mechanism, dict(zip(FORMS[self.place.kind].of, states, strict=True)))
        return SENSORS[self.place.kind].residual(motion, self.place, measured)


def simulate_sensors(
    mechanism: Mechanism,
    motion: Mapping[str, Float[np.ndarray, "N n"]],
    sensors: tuple[Sensor, ...] | None = None,
    rng: np.random.Generator | None = None,
) -> dict[str, Float[np.ndarray, " N"]]:
    """Return what sensors read along a motion, by column; with the noise of each where there is a generator.

    Args:
        mechanism: what moves.
        motion: its positions, velocities and accelerations: {"q": (N, n), "v": (N, n), "a": (N, n)}.
        sensors: by default those of the mechanism.
        rng: draws the noise.
    """
    found: dict[str, np.ndarray] = {}
    states = {"q": motion["q"], "qd": motion.get("v"), "qdd": motion.get("a")}
    for sensor in mechanism.sensors if sensors is None else sensors:
        own = [np.asarray(states[name], dtype=float).T for name in sensor.form.of]  # one row a coordinate
        rows = np.asarray(SensorResidual(mechanism, sensor.place)(*own, measured=0.0), dtype=float)
        values = np.broadcast_to(rows.reshape(len(sensor.columns), -1), (len(sensor.columns), own[0].shape[1]))
        if rng is not None:
            values = values + sensor.spread * rng.standard_normal(values.shape)
        found |= dict(zip(sensor.columns, values, strict=True))
    return found


def read_sensors(value: Value | None, around: ReadContext, places: dict[str, object]) -> tuple[Sensor, ...]:
    """Read a list of sensors. Raises ModelError."""
    return read_parts(value, "sensor", SENSOR, _sensor, around, places)


def parse_sensors(mechanism: Mechanism, given: Any) -> tuple[Sensor, ...]:
    """Return sensors from entries like a file's, [{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}, ...].

    Raises:
        InputError: a sensor that the mechanism cannot have.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        example = '{"sensor": "gyro", "gyroscope": "crank", "sigma": 0.01}'
        raise InputError(f"sensors = {given!r} is not a list", fix=f"give sensors=[{example}]")
    ends = Ends(mechanism.points, mechanism.vectors, mechanism.dimension)
    around = ReadContext(ends, mechanism.bodies, mechanism.angles, {})
    try:
        return read_sensors(_value(given), around, {})
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
    d = around.ends.dimension
    at = read_numbers(entries["at"], around.names, d) if "at" in entries else (0.0,) * d
    options = {option: read_number(entries[option], around.names) for option in OPTIONS if option in entries}
    try:
        return Sensor(
            name, kinds[0], _target(form.on, entries[kinds[0]], around), (sigma,), at, in_space=d == 3, **options
        )
    except InputError as error:
        raise ModelError(error.what, at=entries[""].at, why=error.why, fix=error.fix) from error


def _target(on: str, value: Value, around: ReadContext) -> int | tuple[int, int]:
    if on == "point":
        return find_point(value, around.points)
    if on == "angle":
        if isinstance(value.content, tuple) and around.ends.dimension == 2:
            return find_line(value, around.points)
        return find_angle(value, around.angles)
    text, names = value.text(), [body.name for body in around.bodies]
    if text not in names:
        raise ModelError(
            f"{value.what}: there is no body {quote_text(text)}",
            at=value.at,
            fix=suggest_name(text, names, "the bodies are"),
        )
    if around.bodies[names.index(text)].is_rod:
        why = "all of it lies on one line: it has no axes across that"
        raise ModelError(f"{value.what}: body {quote_text(text)} is a rod", at=value.at, why=why)
    return names.index(text)
