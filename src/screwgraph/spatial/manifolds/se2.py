"""Rigid motions in the plane: place and heading."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.spatial.generic_math import Array, atan2, cos, sin, vector
from screwgraph.spatial.manifolds.base import TOLERANCE, bracket_series
from screwgraph.spatial.rotation_series import exponential_coefficients


@dataclass(frozen=True)
class SE2:
    """Motions (x, y, heading) in m and rad, moved by (v_x, v_y, omega) in the body's own frame.

    Headings count whole turns; differences do not.
    """

    kind = "a rigid motion in the plane"
    shape = (3,)
    dim = 3
    quaternions = ()

    def identity(self) -> Float[np.ndarray, "3"]:
        return np.zeros(3)

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "3"]:
        """Return a uniformly random heading, and a place within +-1 m."""
        return np.array([*rng.uniform(-1.0, 1.0, 2), rng.uniform(-np.pi, np.pi)])

    def retract(self, x: Float[Array, "3"], d: Float[Array, "3"]) -> Float[Array, "3"]:
        a, b, _ = exponential_coefficients(d[2] * d[2])
        return compose_poses(x, vector([a * d[0] - b * d[2] * d[1], b * d[2] * d[0] + a * d[1], d[2]]))

    def near(self, x: Float[Array, "3"], d: Float[Array, "3"]) -> Float[Array, "3"]:
        half = 0.5 * d[2]
        return compose_poses(x, vector([d[0] - half * d[1], d[1] + half * d[0], d[2]]))

    def difference(self, x: Float[Array, "3"], y: Float[Array, "3"]) -> Float[Array, "3"]:
        return log_motion(relative_motion(x, y))

    def defect(self, x: Float[Array, "3"], y: Float[Array, "3"]) -> Float[Array, "3"]:
        z = relative_motion(x, y)
        s = sin(z[2])
        return vector([z[0] + 0.5 * s * z[1], z[1] - 0.5 * s * z[0], s])

    def rate(self, x: Float[Array, "3"], v: Float[Array, "3"]) -> Float[Array, "3"]:
        c, s = cos(x[2]), sin(x[2])
        return vector([c * v[0] - s * v[1], s * v[0] + c * v[1], v[2]])

    def step_rate(self, d: Float[Array, "3"], v: Float[Array, "3"]) -> Float[Array, "3"]:
        first = _bracket(d, v)
        return bracket_series(first, _bracket(d, first), v)

    def turns(self, d: Float[Array, "3"]) -> list:
        return [d[2] * d[2]]

    def normalise(self, x: Float[np.ndarray, "3"]) -> Float[np.ndarray, "3"]:
        return x

    def is_off(self, x: Float[np.ndarray, "N 3"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        return np.zeros(len(x), dtype=bool)


def compose_poses(x: Float[Array, "3"], z: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the motion that is z in the frame of x."""
    c, s = cos(x[2]), sin(x[2])
    return vector([x[0] + c * z[0] - s * z[1], x[1] + s * z[0] + c * z[1], x[2] + z[2]])


def relative_motion(x: Float[Array, "3"], y: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return y in the frame of x; its heading may be any number of turns away."""
    c, s, dx, dy = cos(x[2]), sin(x[2]), y[0] - x[0], y[1] - x[1]
    return vector([c * dx + s * dy, c * dy - s * dx, y[2] - x[2]])


def log_motion(z: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the velocity that leads from the identity to z in a unit of time, turning by pi at most."""
    w = atan2(sin(z[2]), cos(z[2]))
    a, b, _ = exponential_coefficients(w * w)
    k = 0.5 * a / b
    return vector([k * z[0] + 0.5 * w * z[1], k * z[1] - 0.5 * w * z[0], w])


def _bracket(d: Float[Array, "3"], v: Float[Array, "3"]) -> Float[Array, "3"]:
    """Return the Lie bracket of two velocities."""
    return vector([-d[2] * v[1] + d[1] * v[2], d[2] * v[0] - d[0] * v[2], 0.0])
