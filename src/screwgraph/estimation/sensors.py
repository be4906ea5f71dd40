"""Sensors on robots, and what they read."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.estimation.measurements import Channels
from screwgraph.plan.mechanics import Mechanics, checked_frame
from screwgraph.plan.motion import rate_of, twist_of
from screwgraph.robot import unknown
from screwgraph.spatial import concatenate, vector
from screwgraph.spatial.quaternions import to_rotation

XYZ = ("_x", "_y", "_z")
QUATERNION = ("_qx", "_qy", "_qz", "_qw")
EXAMPLE = '{"sensor": "imu", "gyroscope": "hand", "sigma": 0.01}'
POSE_ROWS = {**dict.fromkeys(("_rx", "_ry", "_rz"), QUATERNION), **dict.fromkeys(XYZ, XYZ)}
"""Angles, then displacements, and what each depends on."""


@dataclass(frozen=True)
class Sensor:
    """What measures a motion: a key of `SENSORS`, the joint or frame that it is on, and its standard deviation.

    `sigma` is one number (SI units), or one for each row of the residual.
    """

    name: str
    kind: str
    target: str
    sigma: tuple[float, ...]


@dataclass(frozen=True)
class JointReading:
    """Chosen coordinates, or torques, less what was measured."""

    columns: tuple[int, ...]

    def __call__(self, x: Any, *, measured: Any) -> Any:
        """Residual (n,)."""
        return x[list(self.columns)] - measured


@dataclass(frozen=True)
class PointReading:
    """The origin of a frame in the base (m) less what was measured."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        return self.mechanics.pose(self.frame, q)[:3, 3] - measured


@dataclass(frozen=True)
class PoseReading:
    """The pose of a frame in the base less the measured one (x, y, z, qx, qy, qz, qw), in the frame's axes."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, *, measured: Any) -> Any:
        """Residual (6,): sines of angles (rad), then displacements (m)."""
        T = self.mechanics.pose(self.frame, q)
        R = to_rotation([measured[i] for i in range(3, 7)]).T @ T[:3, :3]
        turned = [0.5 * (R[2, 1] - R[1, 2]), 0.5 * (R[0, 2] - R[2, 0]), 0.5 * (R[1, 0] - R[0, 1])]
        return concatenate(vector(turned), T[:3, :3].T @ (T[:3, 3] - measured[:3]))


@dataclass(frozen=True)
class GyroscopeReading:
    """The angular velocity of a frame (rad/s), in its axes, less what was measured."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, qd: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        return self.mechanics.pose(self.frame, q)[:3, :3].T @ twist_of(self.mechanics, self.frame)(q, qd)[:3] - measured


@dataclass(frozen=True)
class AccelerometerReading:
    """Specific force at a frame's origin (m/s^2), in its axes, less what was measured: acceleration minus gravity."""

    mechanics: Mechanics
    frame: str

    def __call__(self, q: Any, qd: Any, qdd: Any, *, measured: Any) -> Any:
        """Residual (3,)."""
        twist = twist_of(self.mechanics, self.frame)
        rate = rate_of(self.mechanics, ("acceleration", self.frame), lambda q, qd, none: twist(q, qd)[3:], 0)
        acceleration = rate(q, qd, qdd, np.zeros(0))
        R = self.mechanics.pose(self.frame, q)[:3, :3]
        return R.T @ (acceleration - np.array(self.mechanics.robot.gravity)) - measured


def _position(mechanics: Mechanics, name: str, inputs: Sequence[int]) -> JointReading:
    joint, (column,) = name.partition("[")[0], mechanics.coordinates(name)
    return JointReading((mechanics.robot.q_slices[joint].start + column - mechanics.robot.v_slices[joint].start,))


def _velocity(mechanics: Mechanics, name: str, inputs: Sequence[int]) -> JointReading:
    return JointReading(mechanics.coordinates(name))


def _torque(mechanics: Mechanics, name: str, inputs: Sequence[int]) -> JointReading:
    (column,) = mechanics.coordinates(name)
    if column not in inputs:
        raise InputError(
            f"the torque of joint {name!r} is measured, but not unknown",
            fix=f"name it among inputs=, or give a column tau:{name} of what is known exactly",
        )
    return JointReading((inputs.index(column),))


@dataclass(frozen=True)
class Kind:
    """A kind of sensor: families of unknowns that it depends on, its template, suffixes of its columns.

    The template is made of the robot's expressions, the target, and the coordinates whose torques are unknown. `rows`
    of its residual are the columns, or by suffix those columns that each needs.
    """

    of: tuple[str, ...]
    template: Callable[[Mechanics, str, Sequence[int]], Any]
    suffixes: tuple[str, ...] = XYZ
    rows: Mapping[str, tuple[str, ...]] | None = None


SENSORS: Mapping[str, Kind] = {
    "joint_position": Kind(("q",), _position, ("",)),
    "joint_velocity": Kind(("qd",), _velocity, ("",)),
    "joint_torque": Kind(("tau",), _torque, ("",)),
    "position": Kind(("q",), lambda mechanics, frame, _: PointReading(mechanics, frame)),
    "pose": Kind(("q",), lambda mechanics, frame, _: PoseReading(mechanics, frame), (*XYZ, *QUATERNION), POSE_ROWS),
    "gyroscope": Kind(("q", "qd"), lambda mechanics, frame, _: GyroscopeReading(mechanics, frame)),
    "accelerometer": Kind(("q", "qd", "qdd"), lambda mechanics, frame, _: AccelerometerReading(mechanics, frame)),
}
"""Kinds of sensors by the key that names what they are on: joints (coordinates), or frames."""


def channels(sensor: Sensor) -> Channels:
    """Return the names of the columns that a sensor fills in a table of measurements, and of its residual's rows."""
    kind = SENSORS[sensor.kind]
    rows = kind.rows or {suffix: (suffix,) for suffix in kind.suffixes}
    named = {sensor.name + row: tuple(sensor.name + suffix for suffix in of) for row, of in rows.items()}
    unit = tuple(sensor.name + suffix for suffix in kind.suffixes if suffix in QUATERNION)
    return Channels(tuple(sensor.name + suffix for suffix in kind.suffixes), named, unit)


def sensors_of(mechanics: Mechanics, given: Sequence[Mapping[str, Any]]) -> tuple[Sensor, ...]:
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
    name, others = entry["sensor"], [key for key in entry if key not in ("sensor", "sigma")]
    if len(others) != 1:
        raise InputError(
            f"sensor {name!r} measures {' and '.join(map(str, others)) or 'nothing'}", fix=f"like {EXAMPLE}"
        )
    (kind,) = others
    if kind not in SENSORS:
        raise unknown("kind of sensor", kind, SENSORS)
    target = str(entry[kind])
    if kind.startswith("joint_"):
        _check_joint(mechanics, kind, target)
    else:
        checked_frame(mechanics.robot, target)
    sigma = np.atleast_1d(_sigma(name, entry.get("sigma")))
    return Sensor(name, kind, target, tuple(sigma.tolist()))


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
