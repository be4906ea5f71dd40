"""Sensors on robots, and what they read."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.estimation.measurements import Channels
from screwgraph.motion.estimation.sensor_models import (
    AccelerometerReading,
    ContactReading,
    ForceReading,
    GyroscopeReading,
    HeightReading,
    JointReading,
    PointReading,
    PoseReading,
)
from screwgraph.motion.planning.mechanics import Mechanics, validate_frame
from screwgraph.optimize import Variables, Vector

XYZ = ("_x", "_y", "_z")
QUATERNION = ("_qx", "_qy", "_qz", "_qw")
EXAMPLE = '{"sensor": "imu", "gyroscope": "hand", "sigma": 0.01}'
POSE_ROWS = {**dict.fromkeys(("_rx", "_ry", "_rz"), QUATERNION), **dict.fromkeys(XYZ, XYZ)}
"""Angles, then displacements, and what each depends on."""


@dataclass(frozen=True)
class Sensor:
    """Sensor of a motion: a key of `SENSORS`, the joint or frame that it is on, and its standard deviation.

    `sigma` is one number (SI units), or one for each row of the residual. It reads what was `delay` (s) before its
    times. `bias` is the standard deviation of a constant that it is off by, 0: none; residuals beyond `huber` standard
    deviations weigh less, 0: all count fully. A contact whose foot is further from rest than `slip` standard deviations
    slips, 0: none does.
    """

    name: str
    kind: str
    target: str
    sigma: tuple[float, ...]
    delay: float = 0.0
    bias: float = 0.0
    huber: float = 0.0
    slip: float = 0.0


def _position(mechanics: Mechanics, name: str) -> JointReading:
    joint, (column,) = name.partition("[")[0], mechanics.coordinates(name)
    return JointReading((mechanics.robot.q_slices[joint].start + column - mechanics.robot.v_slices[joint].start,))


def _velocity(mechanics: Mechanics, name: str) -> JointReading:
    return JointReading(mechanics.coordinates(name))


def _torque(mechanics: Mechanics, name: str, inputs: Sequence[int]) -> JointReading:
    (column,) = mechanics.coordinates(name)
    if column not in inputs:
        raise InputError(
            f"the torque of joint {name!r} is measured, but not unknown",
            fix=f"name it among inputs=, or give a column tau:{name} of what is known exactly",
        )
    return JointReading((inputs.index(column),))


def make_contact_reading(mechanics: Mechanics, sensor: Sensor) -> ContactReading:
    """Return what a sensor of contact reads: in the base's axes where its standard deviation differs between these."""
    return ContactReading(mechanics, sensor.target, in_base=len(set(sensor.sigma)) > 1)


@dataclass(frozen=True)
class SensorKind:
    """A kind of sensor: families of unknowns that it depends on, its template, suffixes of its columns.

    The template is made of the robot's expressions, the sensor, the coordinates whose torques are unknown, and the
    frames that contacts push on. `rows` of its residual are the columns, or by suffix those columns that each needs.
    """

    of: tuple[str, ...]
    template: Callable[[Mechanics, Sensor, Sequence[int], Sequence[str]], Any]
    suffixes: tuple[str, ...] = XYZ
    rows: Mapping[str, tuple[str, ...]] | None = None


SENSORS: Mapping[str, SensorKind] = {
    "joint_position": SensorKind(("q",), lambda mechanics, s, *_: _position(mechanics, s.target), ("",)),
    "joint_velocity": SensorKind(("qd",), lambda mechanics, s, *_: _velocity(mechanics, s.target), ("",)),
    "joint_torque": SensorKind(("tau",), lambda mechanics, s, inputs, _: _torque(mechanics, s.target, inputs), ("",)),
    "position": SensorKind(("q",), lambda mechanics, s, *_: PointReading(mechanics, s.target)),
    "height": SensorKind(("q",), lambda mechanics, s, *_: HeightReading(mechanics, s.target), ("",)),
    "pose": SensorKind(
        ("q",), lambda mechanics, s, *_: PoseReading(mechanics, s.target), (*XYZ, *QUATERNION), POSE_ROWS
    ),
    "gyroscope": SensorKind(("q", "qd"), lambda mechanics, s, *_: GyroscopeReading(mechanics, s.target)),
    "accelerometer": SensorKind(("q", "qd", "qdd"), lambda mechanics, s, *_: AccelerometerReading(mechanics, s.target)),
    "contact": SensorKind(
        ("q", "qd"), lambda mechanics, s, *_: make_contact_reading(mechanics, s), ("",), dict.fromkeys(XYZ, ("",))
    ),
    "force": SensorKind(("forces",), lambda mechanics, s, _, pushed: ForceReading(pushed.index(s.target))),
}
"""Kinds of sensors by the key that names what they are on: joints (coordinates), or frames."""
USUAL: Mapping[str, Mapping[str, float]] = {
    "joint_position": {"sigma": 1e-3},
    "joint_velocity": {"sigma": 1e-2},
    "joint_torque": {"sigma": 0.1},
    "position": {"sigma": 1e-2},
    "height": {"sigma": 2e-2},
    "pose": {"sigma": 1e-2},
    "gyroscope": {"sigma": 1e-2, "bias": 0.05},
    "accelerometer": {"sigma": 0.1, "bias": 0.5},
    "contact": {"sigma": 1e-2, "huber": 3.0, "slip": 5.0},
    "force": {"sigma": 2.0},
}
"""What sensors have that only columns KIND:TARGET tell of (SI units)."""
PUSHED = ("contact", "force")
"""Kinds of sensors that are on frames which contacts push on."""
EXTRAS = ("delay", "bias", "huber", "slip")
"""What a sensor may have besides."""


def list_contact_frames(sensors: Sequence[Sensor]) -> tuple[str, ...]:
    """Return the frames that contacts push on, as sensors tell."""
    return tuple(dict.fromkeys(s.target for s in sensors if s.kind in PUSHED))


def name_channels(sensor: Sensor) -> Channels:
    """Return the names of the columns that a sensor fills in a table of measurements, and of its residual's rows."""
    kind = SENSORS[sensor.kind]
    rows = kind.rows or {suffix: (suffix,) for suffix in kind.suffixes}
    named = {sensor.name + row: tuple(sensor.name + suffix for suffix in of) for row, of in rows.items()}
    unit = tuple(sensor.name + suffix for suffix in kind.suffixes if suffix in QUATERNION)
    return Channels(tuple(sensor.name + suffix for suffix in kind.suffixes), named, unit, sensor.delay)


def sensors_from_columns(columns: Iterable[str]) -> list[dict[str, Any]]:
    """Return sensors of columns that are called KIND:TARGET, with suffixes where they measure several numbers."""
    found: dict[str, dict[str, Any]] = {}
    for name in columns:
        kind, colon, target = str(name).partition(":")
        if colon and kind in SENSORS:
            suffix = max((x for x in SENSORS[kind].suffixes if target.endswith(x)), key=len, default="")
            target = target.removesuffix(suffix)
            found[f"{kind}:{target}"] = {"sensor": f"{kind}:{target}", kind: target, **USUAL[kind]}
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
    name, others = entry["sensor"], [key for key in entry if key not in ("sensor", "sigma", *EXTRAS)]
    if len(others) != 1:
        raise InputError(
            f"sensor {name!r} measures {' and '.join(map(str, others)) or 'nothing'}", fix=f"like {EXAMPLE}"
        )
    (kind,) = others
    if kind not in SENSORS:
        raise make_unknown_name_error("kind of sensor", kind, SENSORS)
    target = str(entry[kind])
    if kind.startswith("joint_"):
        _check_joint(mechanics, kind, target)
    else:
        target = validate_frame(mechanics.robot, target)
    sigma = np.atleast_1d(_sigma(name, entry.get("sigma")))
    extras = {extra: _extra(name, extra, entry[extra]) for extra in EXTRAS if extra in entry}
    if kind == "contact" and extras.get("bias"):
        raise InputError(f"contact {name!r} has no bias", fix="leave it out")
    if kind != "contact" and extras.get("slip"):
        raise InputError(f"sensor {name!r} does not slip", why="it is not one of contact", fix="leave slip out")
    return Sensor(name, kind, target, tuple(sigma.tolist()), **extras)


def _extra(name: str, extra: str, given: Any) -> float:
    if isinstance(given, bool) or not isinstance(given, (int, float, np.number)) or not 0.0 <= given < np.inf:
        raise InputError(f"{extra} = {given!r} of sensor {name!r} is not a positive number")
    return float(given)


def _check_joint(mechanics: Mechanics, kind: str, name: str) -> None:
    columns = mechanics.coordinates(name)
    joint = mechanics.robot.joint(name.partition("[")[0])
    if len(columns) != 1:
        raise InputError(
            f"joint {name!r} has {len(columns)} coordinates", fix=f"measure one of them, {name}[0], or a frame's pose"
        )
    if kind == "joint_position" and joint.type.nq != joint.type.nv:
        raise InputError(
            f"joint {joint.name!r} has no coordinate that a sensor reads", fix="measure the pose of its child"
        )


def _sigma(name: str, given: Any) -> Float[np.ndarray, " m"]:
    try:
        sigma = np.asarray(given, dtype=float)
    except (TypeError, ValueError):
        sigma = np.full(1, np.nan)
    if sigma.ndim > 1 or not (np.isfinite(sigma) & (sigma > 0.0)).all():
        raise InputError(f"sigma = {given!r} of sensor {name!r} is not a positive standard deviation")
    return sigma


def bias_unknown(sensor: Sensor) -> Variables:
    """Return the constant that a sensor is off by."""
    return Variables(f"offset {sensor.name}", Vector(len(name_channels(sensor).rows)), 1)
