"""Bearings: the direction of a place in the frame of a pose, alone or with its distance."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.api.interop.gtsam.factor_reading import Kind, Reader, Reading
from screwgraph.api.interop.gtsam.ranges import PAIRS, find_length, find_place
from screwgraph.spatial import atan2, choose, concatenate, cos, matrix, rotation, sin, skew, sqrt, vector
from screwgraph.spatial.manifolds import SE2, Manifold
from screwgraph.spatial.manifolds.se2 import relative_motion


@dataclass(frozen=True)
class Bearing:
    """Difference of a direction and its measurement: an angle (rad) in the plane, two in space; then of distances (m).

    Measurements are an angle, or a unit vector (3,), then a distance where one is measured.
    """

    a: Manifold
    b: Manifold
    ranged: bool = False

    def __call__(self, a: Any, b: Any, *, z: Any) -> Any:
        """Return the residual of b in the frame of a: (1,) or (2,), and one more of the distance (m)."""
        place = find_place(self.b, b)
        if isinstance(self.a, SE2):
            d = relative_motion(a, vector([place[0], place[1], 0.0]))[:2]
            c, s = cos(z[0]), sin(z[0])
            angles = vector([atan2(c * d[1] - s * d[0], c * d[0] + s * d[1])])
        else:
            d = rotation(a).T @ (place - find_place(self.a, a))
            angles = -sphere_difference(d / find_length(d), z[:3])
        return concatenate(angles, vector([find_length(d) - z[-1]])) if self.ranged else angles


def sphere_difference(n: Any, m: Any) -> Any:
    """Return the angle (rad) from a unit vector n to m, times its direction in the basis of `tangent_basis` (2,)."""
    d, c = tangent_basis(n).T @ m, n @ m
    square = d @ d
    sine = sqrt(choose(square <= 1e-300, 1.0, square))
    ratio = atan2(sine, c) / sine
    series = 1.0 + square * (1.0 / 6.0 + square * (3.0 / 40.0 + square * (5.0 / 112.0 + square * 35.0 / 1152.0)))
    return choose(square < 1e-3, choose(c > 0.0, series, ratio), ratio) * d


def tangent_basis(n: Any) -> Any:
    """Return two unit vectors (3, 2) across a unit vector n: the first also across the axis that n is farthest from."""
    x, y, z = (n[i] * n[i] for i in range(3))
    first = [choose(x <= y, choose(x <= z, 1.0, 0.0), 0.0), 0.0, 0.0]
    first[1] = choose(y <= z, 1.0 - first[0], 0.0)
    first[2] = 1.0 - first[0] - first[1]
    N = skew(n)
    across = N @ vector(first)
    across = across / find_length(across)
    return matrix([across, N @ across]).T


def _bearing(kinds: tuple[Kind, Kind], ranged: bool) -> Reader:
    def read(factor: Any, name: str) -> Reading:
        measured = factor.measured()
        bearing = measured.bearing() if ranged else measured
        z = [bearing.theta()] if isinstance(kinds[0][1], SE2) else bearing.point3().tolist()
        template = Bearing(kinds[0][1], kinds[1][1], ranged)
        return template, kinds, {"z": np.array([*z, measured.range()] if ranged else z)}

    return read


BEARINGS: dict[str, Reader] = {
    **{f"BearingFactor{end}": _bearing(PAIRS[end], False) for end in ("2D", "3D", "Pose2")},
    **{f"BearingRangeFactor{end}": _bearing(PAIRS[end], True) for end in ("2D", "3D", "Pose2", "Pose3")},
}
