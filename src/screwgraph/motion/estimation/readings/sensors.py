"""Sensors on robots: read from entries or columns, their residuals, and the unknowns that they bring."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.sensors import SENSORS, SensorPlace
from screwgraph.model.sensors.sensor import OPTIONS, Sensor
from screwgraph.motion.estimation.factors import SomeEqual, soft_equality
from screwgraph.motion.estimation.mechanism_noise import ModelNoise
from screwgraph.motion.planning.frame_velocity import differentiate_in_time, make_frame_twist
from screwgraph.motion.planning.mechanics import Mechanics, validate_frame
from screwgraph.motion.planning.models import find_joint
from screwgraph.optimize import Factors, Variables, Vector, soft
from screwgraph.optimize.template_wrappers import flatten_residual
from screwgraph.spatial import concatenate
from screwgraph.spatial.manifolds import Manifold
from screwgraph.spatial.so3 import skew

EXAMPLE = '{"sensor": "imu", "gyroscope": "hand", "sigma": 0.01}'
FORMS = {name: kind.robot for name, kind in SENSORS.items() if kind.robot}
"""Kinds of sensors that robots have."""


class Walk(NamedTuple):
    """A random walk: unknowns, their standard deviation at first, and that of their change in the root of a second.

    Of entries that are not among the `places`, where these are given, nothing is said of changes.
    """

    variables: Variables
    sigma: float
    rate: Any
    places: tuple[int, ...] | None = None

    def change_factors(self, sigma: Any) -> list[Factors]:
        """Return the factors of changes from instant to instant, of a standard deviation."""
        x = self.variables
        if self.places == ():
            return []
        template = soft_equality if self.places is None else SomeEqual(self.places)
        return [soft(template, x[:-1], x[1:], sigma=sigma, name=f"change of {x.name}")]


@dataclass(frozen=True, eq=False)
class RobotMotion:
    """Measurable quantities of a robot's families of unknowns, in SI units and the base's axes unless said otherwise.

    `inputs` are the coordinates whose torques are unknown, `pushed` the frames that contacts push on.
    """

    mechanics: Mechanics
    states: Mapping[str, Any]
    inputs: Sequence[int] = ()
    pushed: Sequence[str] = ()

    def joint_position(self, joint: str) -> Any:
        """Return a joint's position (1,)."""
        return self.states["q"][[find_position_place(self.mechanics, joint)]]

    def joint_velocity(self, joint: str) -> Any:
        """Return a joint's velocity (1,)."""
        return self.states["qd"][list(self.mechanics.coordinates(joint))]

    def joint_torque(self, joint: str) -> Any:
        """Return a joint's torque (1,), which is unknown."""
        (column,) = self.mechanics.coordinates(joint)
        return self.states["tau"][[self.inputs.index(column)]]

    def pose(self, frame: str) -> Any:
        """Return the pose of a frame (4, 4)."""
        return self.mechanics.pose(frame, self.states["q"])

    def rotation(self, frame: str) -> Any:
        """Return the rotation of a frame (3, 3)."""
        return self.pose(frame)[:3, :3]

    def position(self, frame: str) -> Any:
        """Return where the origin of a frame is (3,)."""
        return self.pose(frame)[:3, 3]

    def velocity(self, frame: str) -> Any:
        """Return the velocity of a frame's origin (3,)."""
        return make_frame_twist(self.mechanics, frame)(self.states["q"], self.states["qd"])[3:]

    def angular_velocity(self, frame: str) -> Any:
        """Return the angular velocity of a frame, in its axes (3,)."""
        twist = make_frame_twist(self.mechanics, frame)(self.states["q"], self.states["qd"])
        return self.rotation(frame).T @ twist[:3]

    def specific_force(self, frame: str, at: tuple[float, ...]) -> Any:
        """Return acceleration minus gravity at a place (m) in a frame, in its axes (3,)."""
        twist = make_frame_twist(self.mechanics, frame)

        def velocity(q: Any, qd: Any, none: Any) -> Any:
            V = twist(q, qd)
            return V[3:] + skew(V[:3]) @ (self.mechanics.pose(frame, q)[:3, :3] @ np.array(at)) if any(at) else V[3:]

        rate = differentiate_in_time(self.mechanics, ("acceleration", frame, at), velocity, 0)
        acceleration = rate(*(self.states[name] for name in ("q", "qd", "qdd")), np.zeros(0))
        return self.rotation(frame).T @ (acceleration - np.array(self.mechanics.robot.gravity))

    def force(self, frame: str) -> Any:
        """Return the force of the contact on a frame, in its axes (3,)."""
        place = 3 * self.pushed.index(frame)
        return self.states["forces"][place : place + 3]


@dataclass(frozen=True)
class SensorResidual:
    """Predicted less measured readings of sensors of one kind, one after the other."""

    mechanics: Mechanics
    places: tuple[SensorPlace, ...]
    inputs: tuple[int, ...] = ()
    pushed: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        """Check that torques are unknown. Raises InputError."""
        for joint in (place.target for place in self.places if "tau" in FORMS[place.kind].of):
            if not set(self.mechanics.coordinates(joint)).issubset(self.inputs):
                raise InputError(
                    f"the torque of joint {joint!r} is measured, but not unknown",
                    fix=f"name it among inputs=, or give a column tau:{joint} of what is known exactly",
                )

    def __call__(self, *states: Any, measured: Any) -> Any:
        """Residual, sensor by sensor."""
        kind, count = self.places[0].kind, len(measured) // len(self.places)
        motion = RobotMotion(self.mechanics, dict(zip(FORMS[kind].of, states, strict=True)), self.inputs, self.pushed)
        parts = [
            SENSORS[kind].residual(motion, place, measured[i * count : (i + 1) * count])
            for i, place in enumerate(self.places)
        ]
        return parts[0] if len(parts) == 1 else concatenate(*parts)


@dataclass(frozen=True)
class BiasedReading:
    """A sensor's template, with what the sensor is off by as the last unknown."""

    template: Any

    def __call__(self, *unknowns: Any, **parameters: Any) -> Any:
        """Residual of the template, and the bias."""
        return flatten_residual(self.template(*unknowns[:-1], **parameters)) + unknowns[-1]


@dataclass(frozen=True)
class PartialReading:
    """A sensor's template, without the rows that were not measured."""

    template: Any

    def __call__(self, *unknowns: Any, seen: Any, **parameters: Any) -> Any:
        """Residual of the template where `seen` is 1, zero where it is 0."""
        return seen * flatten_residual(self.template(*unknowns, **parameters))


@dataclass(frozen=True)
class AgedReading:
    """A sensor's template, of what was so an `age` (s) before an instant: at most a step `dt` (s) before it.

    Accelerations are linear over the step, so that positions and velocities err by no more than the trapezoidal rule.
    The template takes some `families` of unknowns; of the others but q, qd, qdd the later instant's count.
    """

    template: Any
    families: tuple[str, ...]
    positions: Manifold
    dt: float

    def __call__(self, before: Any, q: Any, qd: Any, qdd: Any, *more: Any, age: Any, **parameters: Any) -> Any:
        """Residual of the template; `before` are accelerations one instant earlier, the others those of the instant."""
        jerk, others = (qdd - before) / self.dt, iter(more)
        motion = {
            "q": self.positions.retract(q, age * (0.5 * age * qdd - qd - age * age * jerk / 6.0)),
            "qd": qd - age * (qdd - 0.5 * age * jerk),
            "qdd": qdd - age * jerk,
        }
        found = [motion[name] if name in motion else next(others) for name in self.families]
        return self.template(*found, *others, **parameters)


def bias_unknown(sensor: Sensor, count: int) -> Variables:
    """Return what a sensor is off by: a constant, or at each of `count` instants."""
    return Variables(f"offset {sensor.name}", Vector(len(sensor.rows)), count if sensor.walk else 1)


def list_walks(unknowns: Any, sensors: Sequence[Sensor], noise: ModelNoise) -> list[Walk]:
    """Return random walks of a motion's unknowns: forces of contacts, unknown torques, biases that change."""
    forces = [Walk(unknowns.forces, noise.force, noise.force_rate)] if unknowns.pushed else []
    torques = [Walk(unknowns.tau, noise.torque, noise.torque_rate, unknowns.walking)] if unknowns.inputs else []
    return [*forces, *torques, *(Walk(bias_unknown(s, unknowns.count), s.bias, s.walk) for s in sensors if s.walk)]


def find_position_place(mechanics: Mechanics, joint: str) -> int:
    """Return the place in q of a joint's position."""
    name, (column,) = find_joint(mechanics.robot, joint), mechanics.coordinates(joint)
    return mechanics.robot.q_slices[name].start + column - mechanics.robot.v_slices[name].start


def sensors_from_columns(columns: Iterable[str]) -> list[dict[str, Any]]:
    """Return sensors of columns that are called KIND:TARGET, with suffixes where they measure several numbers."""
    found: dict[str, dict[str, Any]] = {}
    for name in columns:
        kind, colon, target = str(name).partition(":")
        if colon and kind in FORMS:
            suffix = max((x for x in FORMS[kind].suffixes if target.endswith(x)), key=len, default="")
            target = target.removesuffix(suffix)
            found[f"{kind}:{target}"] = {"sensor": f"{kind}:{target}", kind: target, **SENSORS[kind].usual}
    return list(found.values())


def parse_sensors(mechanics: Mechanics, given: Sequence[Mapping[str, Any]]) -> tuple[Sensor, ...]:
    """Return sensors given as [{"sensor": "imu", "gyroscope": "hand", "sigma": 0.01}, ...].

    Raises:
        InputError: a sensor that the robot cannot have.
    """
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise InputError(f"sensors = {given!r} is not a list", fix=f"give sensors=[{EXAMPLE}]")
    found: list[Sensor] = []
    for entry in given:
        sensor = _sensor(mechanics, entry)
        if any(sensor.name == other.name for other in found):
            raise InputError(f"two sensors are called {sensor.name!r}")
        found.append(sensor)
    return tuple(found)


def _sensor(mechanics: Mechanics, entry: Any) -> Sensor:
    if not isinstance(entry, Mapping) or not isinstance(entry.get("sensor"), str):
        raise InputError(f"{entry!r} is not a sensor", fix=f"describe it like {EXAMPLE}")
    name, others = entry["sensor"], [key for key in entry if key not in ("sensor", "sigma", "at", *OPTIONS)]
    if len(others) != 1:
        raise InputError(
            f"sensor {name!r} measures {' and '.join(map(str, others)) or 'nothing'}", fix=f"like {EXAMPLE}"
        )
    (kind,) = others
    if kind not in FORMS:
        raise InputError(f"no kind of sensor is called {kind!r}", fix=f"robots have {', '.join(FORMS)}")
    form, target = FORMS[kind], str(entry[kind])
    if form.on == "joint":
        _check_joint(mechanics, form.of, target)
    else:
        target = validate_frame(mechanics.robot, target)
    if "at" in entry and not form.has_place:
        raise InputError(f"sensor {name!r} has a place at", why=f"it is one of {kind}", fix="leave it out")
    given: dict[str, Any] = {"at": _place(name, entry["at"])} if "at" in entry else {}
    given |= {option: entry[option] for option in OPTIONS if option in entry}
    if "sigma" not in entry:
        usual = SENSORS[kind].usual.get("sigma")
        fix = f'"sigma": {usual} is usual of {kind}' if usual else "give it in the units of its readings"
        raise InputError(f"sensor {name!r} has no sigma, the standard deviation of its readings", fix=fix)
    return Sensor(name, kind, target, _sigma(name, entry["sigma"]), **given)


def _check_joint(mechanics: Mechanics, of: Sequence[str], name: str) -> None:
    columns = mechanics.coordinates(name)
    joint = mechanics.robot.joint(find_joint(mechanics.robot, name))
    if len(columns) != 1:
        raise InputError(
            f"joint {name!r} has {len(columns)} coordinates", fix=f"measure one of them, {name}[0], or a frame's pose"
        )
    if "q" in of and joint.type.nq != joint.type.nv:
        raise InputError(
            f"joint {joint.name!r} has no coordinate that a sensor reads", fix="measure the pose of its child"
        )


def _sigma(name: str, given: Any) -> tuple[float, ...]:
    try:
        sigma = np.atleast_1d(convert_numbers(given))
    except (TypeError, ValueError):
        sigma = np.full(1, np.nan)
    if sigma.ndim > 1 or not (np.isfinite(sigma) & (sigma > 0.0)).all():
        raise InputError(f"sigma = {given!r} of sensor {name!r} is not a positive standard deviation")
    return tuple(sigma.tolist())


def _place(name: str, given: Any) -> tuple[float, ...]:
    try:
        at = convert_numbers(given)
    except (TypeError, ValueError):
        at = np.zeros(0)
    if at.shape != (3,) or not np.isfinite(at).all():
        raise InputError(f"at = {given!r} of sensor {name!r} is no place", fix="give x, y, z (m)")
    return tuple(at.tolist())
