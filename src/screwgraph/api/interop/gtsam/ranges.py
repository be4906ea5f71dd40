"""Ranges: distances of places, of bodies or points, with a sensor off the body's origin, or with a bias."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import (
    POINT2,
    POINT3,
    POSE2,
    POSE3,
    SCALAR,
    Kind,
    Reader,
    Reading,
    archived_numbers,
    choose_reading,
)
from screwgraph.spatial import choose, rotation, sqrt, translation, vector
from screwgraph.spatial.manifolds import SE2, SE3, Manifold
from screwgraph.spatial.manifolds.se2 import compose_poses


def find_place(manifold: Manifold, x: Any, offset: Any = None) -> Any:
    """Return the place (m) of a pose or a point in the world, or of what lies at an offset (m) in the pose's frame."""
    if isinstance(manifold, SE2):
        return x[:2] if offset is None else compose_poses(x, vector([offset[0], offset[1], 0.0]))[:2]
    if isinstance(manifold, SE3):
        return translation(x) if offset is None else translation(x) + rotation(x) @ offset
    return x


def find_length(d: Any) -> Any:
    """Return the length of a vector; at zero, its derivatives are zero."""
    square = d @ d
    vanishes = square <= 1e-300
    return choose(vanishes, 0.0, sqrt(choose(vanishes, 1.0, square)))


@dataclass(frozen=True)
class Range:
    """Residual (1,): distance of places, plus a bias where one is among the unknowns, less a measurement z (m)."""

    a: Manifold
    b: Manifold

    def __call__(self, a: Any, b: Any, *bias: Any, z: Any, offset: Any) -> Any:
        """Return the residual of what lies at an offset in the frame of a, and of b."""
        reach = find_length(find_place(self.b, b) - find_place(self.a, a, offset))
        return vector([reach + sum(own[0] for own in bias) - z[0]])


PAIRS: dict[str, tuple[Kind, Kind]] = {
    "2": (POINT2, POINT2),
    "3": (POINT3, POINT3),
    "2D": (POSE2, POINT2),
    "3D": (POSE3, POINT3),
    "Pose2": (POSE2, POSE2),
    "Pose3": (POSE3, POSE3),
}
"""Kinds of unknowns by the end of a factor's name."""


def _range(kinds: tuple[Kind, ...]) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        z, n = np.array([factor.measured()]), 2 if kinds[0] in (POINT2, POSE2) else 3
        return Range(kinds[0][1], kinds[1][1]), kinds, {"z": z, "offset": np.zeros(n)}

    return read


def _range_off(kinds: tuple[Kind, ...]) -> Reader:
    """Return a reader of factors that do not tell where the sensor is: the last of their numbers do."""

    def read(factor: Any, name: str) -> Reading:
        template, _, parameters = _range(kinds)(factor, name)
        numbers = archived_numbers(factor, name)
        offset = numbers[-4:-2] if kinds[0] == POSE2 else numbers[-3:]
        return choose_reading(factor, name, [(template, kinds, parameters | {"offset": offset})])

    return read


RANGES: dict[str, Reader] = {
    **{f"RangeFactor{end}": _range(kinds) for end, kinds in PAIRS.items()},
    **{f"RangeFactorWithTransform{end}": _range_off(PAIRS[end]) for end in ("2D", "3D", "Pose2", "Pose3")},
    **{f"RangeFactorWithTransformBias{end}": _range_off((*PAIRS[end], SCALAR)) for end in ("2D", "3D")},
}
