"""Values: which manifold of ours is which type of GTSAM's; to add one, a line in `KINDS`, or in `NAMED`.

Directions are the same on both sides: (omega, v) in the body's frame of poses, (v, omega) of those in the plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.calibrations import CALIBRATIONS
from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.spatial import quaternions
from screwgraph.spatial.manifolds import SE2, SE3, SO3, FloatingPose, Manifold, UnitQuaternion, Vector, product


@dataclass(frozen=True)
class ValueType:
    """How values of a manifold are read from `gtsam.Values`, all of one's keys, and what is put there."""

    theirs: str
    read: Callable[[Any, Sequence[int]], list[Any]]
    made: Callable[[np.ndarray], Any]


def _matrices(at: Callable[[int], Any], keys: Sequence[int]) -> list[Any]:
    return [at(key).matrix() for key in keys]


def _poses2(at: Callable[[int], Any], keys: Sequence[int]) -> list[Any]:
    return [(pose.x(), pose.y(), pose.theta()) for pose in map(at, keys)]


KINDS: dict[type, ValueType] = {
    SE3: ValueType("Pose3", lambda v, keys: _matrices(v.atPose3, keys), lambda x: import_gtsam().Pose3(x)),
    SE2: ValueType("Pose2", lambda v, keys: _poses2(v.atPose2, keys), lambda x: import_gtsam().Pose2(*x.tolist())),
    SO3: ValueType("Rot3", lambda v, keys: _matrices(v.atRot3, keys), lambda x: import_gtsam().Rot3(x)),
    Vector: ValueType("Vector", lambda v, keys: [*map(v.atVector, keys)], lambda x: x),
    FloatingPose: ValueType(
        "Pose3",
        lambda v, keys: [FloatingPose().of_transform(T) for T in _matrices(v.atPose3, keys)],
        lambda x: import_gtsam().Pose3(np.asarray(FloatingPose().to_transform(x), dtype=float)),
    ),
    UnitQuaternion: ValueType(
        "Rot3",
        lambda v, keys: [quaternions.from_rotation(R) for R in _matrices(v.atRot3, keys)],
        lambda x: import_gtsam().Rot3(np.asarray(quaternions.to_rotation(x), dtype=float)),
    ),
}


def _value_type(theirs: str, numbers: Callable[[Any], Any], made: Callable[[np.ndarray], Any]) -> ValueType:
    """Return how values of one type are read as numbers, and made of them."""

    def read(v: Any, keys: Sequence[int]) -> list[Any]:
        at = getattr(v, f"at{theirs}")
        return [numbers(at(key)) for key in keys]

    return ValueType(theirs, read, made)


def _camera_type(
    calibration: str, numbers: Callable[[Any], np.ndarray], made: Callable[[np.ndarray], Any]
) -> ValueType:
    """Return cameras as place, quaternion, and numbers of the calibration."""
    theirs, pose = f"PinholeCamera{calibration}", FloatingPose()
    return _value_type(
        theirs,
        lambda camera: np.concatenate([pose.of_transform(camera.pose().matrix()), numbers(camera.calibration())]),
        lambda x: getattr(import_gtsam(), theirs)(KINDS[FloatingPose].made(x[:7]), made(x[7:])),
    )


BIASES = "bias"
NAMED: dict[str, tuple[Manifold, ValueType]] = {
    BIASES: (
        Vector(6),
        _value_type("ConstantBias", lambda b: b.vector(), lambda x: import_gtsam().imuBias.ConstantBias(x[:3], x[3:])),
    ),
    "scalar": (Vector(1), _value_type("Double", lambda x: [x], lambda x: float(x[0]))),
    **{name.lower(): (Vector(c.size), _value_type(name, c.numbers, c.made)) for name, c in CALIBRATIONS.items()},
    **{
        f"camera_{name.lower()}": (product([FloatingPose(), Vector(c.size)]), _camera_type(name, c.numbers, c.made))
        for name, c in CALIBRATIONS.items()
    },
}
"""By how a family's name begins: what it is there if it is of this manifold. Biases: accelerometer, then gyroscope."""


def find_value_type(name: str, manifold: Manifold) -> ValueType:
    """Return how the unknowns of a family are values of GTSAM.

    Raises:
        InputError: GTSAM has no such type.
    """
    for start, (own, kind) in NAMED.items():
        if name.startswith(start) and manifold == own:
            return kind
    if type(manifold) not in KINDS:
        known = ", ".join(k.__name__ for k in KINDS)
        raise InputError(f"{name}: GTSAM has no type for {manifold!r}", fix=f"use {known}")
    return KINDS[type(manifold)]


def read_values(kind: ValueType, name: str, values: Any, keys: Sequence[int]) -> np.ndarray:
    """Return the values (N, *shape) of keys.

    Raises:
        InputError: there is no value of that type at a key.
    """
    try:
        return np.array(kind.read(values, keys), dtype=float)
    except (RuntimeError, TypeError, ValueError) as error:
        raise InputError(f"{name}: the values have no {kind.theirs} at a key", why=str(error)) from None
