"""What obstacles have in common: their numbers, where they stand, and how far a point is from them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.spatial import Array, from_xyz_rpy, sqrt

TINY = 1e-16
"""Square (m^2) added below roots: distances keep a derivative where they have none."""


@runtime_checkable
class Shape(Protocol):
    """An obstacle: a frozen dataclass; all of a `kind`, its name in `SHAPES`, are evaluated by the same code."""

    kind: ClassVar[str]

    def numbers(self) -> Float[np.ndarray, " k"]:
        """Return what a replan may change: size and place."""
        ...

    @staticmethod
    def distance(point: Array, numbers: Array) -> Any:
        """Return how far a point (3,) is from the surface of the shape of such numbers (m), negative within."""
        ...

    @staticmethod
    def to_segment(start: Array, way: Array, numbers: Array) -> Any:
        """Return the least such distance of the points of the segment from `start` to `start + way`."""
        ...


def validate_positive(what: str, value: Any) -> float:
    """Return a positive number. Raises InputError for anything else."""
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 0.0 < value < np.inf:
        raise InputError(f"{what} is {value!r}", why="it must be a positive number of metres")
    return float(value)


def validate_triple(what: str, value: Any) -> tuple[float, float, float]:
    """Return three finite numbers. Raises InputError for anything else."""
    try:
        array = convert_numbers(value)
    except (TypeError, ValueError):
        array = np.zeros(0)
    if array.shape != (3,) or not np.isfinite(array).all():
        raise InputError(f"{what} is {value!r}", why="it must be three numbers")
    return (float(array[0]), float(array[1]), float(array[2]))


def pose_numbers(xyz: Sequence[float], rpy: Sequence[float]) -> Float[np.ndarray, "12"]:
    """Return the rotation, row after row, and the origin of a frame at xyz (m), turned by roll, pitch, yaw (rad)."""
    T = np.asarray(from_xyz_rpy(np.asarray(xyz), np.asarray(rpy)), dtype=float)
    return np.concatenate([T[:3, :3].ravel(), T[:3, 3]])


def to_local(point: Array, pose: Array) -> list[Any]:
    """Return the three coordinates of a point in the frame of `pose_numbers`."""
    d = [point[i] - pose[9 + i] for i in range(3)]
    return [pose[j] * d[0] + pose[3 + j] * d[1] + pose[6 + j] * d[2] for j in range(3)]


def length(*coordinates: Any) -> Any:
    """Return the length of a vector, with a derivative at zero."""
    return sqrt(sum((c * c for c in coordinates), TINY))
