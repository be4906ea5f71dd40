"""Values: which manifold of ours is which type of GTSAM's; to add one, a line in `KINDS`.

Directions are the same on both sides: (omega, v) in the body's frame of poses, (v, omega) of those in the plane.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.gtsam_library import import_gtsam
from screwgraph.base.errors import InputError
from screwgraph.spatial import quaternions
from screwgraph.spatial.manifolds import SE2, SE3, SO3, FloatingPose, Manifold, UnitQuaternion, Vector


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
BIAS = ValueType(
    "ConstantBias",
    lambda v, keys: [bias.vector() for bias in map(v.atConstantBias, keys)],
    lambda x: import_gtsam().imuBias.ConstantBias(x[:3], x[3:]),
)
"""Biases of accelerometer, then gyroscope."""
BIASES = "bias"
"""Families of six numbers whose names begin so are biases there."""


def find_value_type(name: str, manifold: Manifold) -> ValueType:
    """Return how the unknowns of a family are values of GTSAM.

    Raises:
        InputError: GTSAM has no such type.
    """
    if manifold == Vector(6) and name.startswith(BIASES):
        return BIAS
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
