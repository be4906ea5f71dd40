"""Measurements of parts of a pose: where it is, how it is turned, which way it sees a direction of the world."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import (
    POSE2,
    POSE3,
    ROT3,
    Kind,
    Reader,
    Reading,
    archived_numbers,
    choose_reading,
)
from screwgraph.api.interop.gtsam.ranges import find_place
from screwgraph.spatial import atan2, cos, log3, rotation, sin, vector
from screwgraph.spatial.manifolds import SE2, SE3, Manifold


@dataclass(frozen=True)
class Position:
    """Residual (m): a place in the world, at an offset in the pose's frame, less where it was measured."""

    manifold: Manifold

    def __call__(self, x: Any, *, z: Any, offset: Any) -> Any:
        """Return the residual (2,) or (3,)."""
        return find_place(self.manifold, x, offset) - z


@dataclass(frozen=True)
class Orientation:
    """Rotation vector (rad) from a measurement, an angle or a rotation matrix, to how a pose is turned."""

    manifold: Manifold

    def __call__(self, x: Any, *, z: Any) -> Any:
        """Return the residual (1,) or (3,)."""
        if isinstance(self.manifold, SE2):
            return vector([atan2(sin(x[2] - z[0]), cos(x[2] - z[0]))])
        return log3(z.T @ rotation(x))


@dataclass(frozen=True)
class Attitude:
    """Components (2,) of a measured direction of the body across the direction of the world that it is."""

    manifold: Manifold

    def __call__(self, x: Any, *, z: Any, across: Any) -> Any:
        """Return the residual of a unit vector z in the body's frame; `across` (3, 2) are unit vectors in the world."""
        return across.T @ ((rotation(x) if isinstance(self.manifold, SE3) else x) @ z)


def _position(kind: Kind, size: int) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        measured = factor.measurementIn() if hasattr(factor, "measurementIn") else factor.measured()
        return Position(kind[1]), (kind,), {"z": measured, "offset": np.zeros(size)}

    return read


def _position_off(factor: Any, name: str) -> Reading:
    template, kinds, parameters = _position(POSE3, 3)(factor, name)
    offset = archived_numbers(factor, name)[-3:]
    return choose_reading(factor, name, [(template, kinds, parameters | {"offset": offset})])


def _orientation(kind: Kind) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        z = factor.measured()
        return Orientation(kind[1]), (kind,), {"z": [z.theta()] if kind == POSE2 else z.matrix()}

    return read


def _attitude(kind: Kind) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        return Attitude(kind[1]), (kind,), {"z": factor.bMeasured().point3(), "across": factor.nRef().basis()}

    return read


POSE_PARTS: dict[str, Reader] = {
    "PoseTranslationPrior2D": _position(POSE2, 2),
    "PoseTranslationPrior3D": _position(POSE3, 3),
    "GPSFactor": _position(POSE3, 3),
    "GPSFactorArm": _position_off,
    "PoseRotationPrior2D": _orientation(POSE2),
    "PoseRotationPrior3D": _orientation(POSE3),
    "AttitudeFactorPose3": _attitude(POSE3),
    "AttitudeFactorRot3": _attitude(ROT3),
}
