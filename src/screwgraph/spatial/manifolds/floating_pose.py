"""Rigid motions as a position and a unit quaternion: the coordinates of a floating base."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.spatial import quaternions
from screwgraph.spatial.exponential import screw_to, screw_translation
from screwgraph.spatial.generic_math import Array, concatenate
from screwgraph.spatial.manifolds.base import TOLERANCE
from screwgraph.spatial.manifolds.se3 import SE3
from screwgraph.spatial.manifolds.unit_quaternion import UnitQuaternion
from screwgraph.spatial.se3 import rotation, transform, translation
from screwgraph.spatial.so3 import skew

ROTATIONS = UnitQuaternion()
MOTIONS = SE3()


@dataclass(frozen=True)
class FloatingPose:
    """A position (m) and a unit quaternion, (x, y, z, qx, qy, qz, qw), moved by twists (omega, v) of the body."""

    kind = "a position (x, y, z) and a quaternion (x, y, z, w) of length 1"
    shape = (7,)
    dim = 6
    quaternions = (3,)

    def identity(self) -> Float[np.ndarray, "7"]:
        return np.concatenate([np.zeros(3), ROTATIONS.identity()])

    def random(self, rng: np.random.Generator) -> Float[np.ndarray, "7"]:
        """Return a uniformly random rotation, and a position within +-1 m."""
        return np.concatenate([rng.uniform(-1.0, 1.0, 3), ROTATIONS.random(rng)])

    def retract(self, x: Float[Array, "7"], d: Float[Array, "6"]) -> Float[Array, "7"]:
        """Follow the screw motion of the constant twist d. Lynch & Park (3.88)."""
        return concatenate(
            x[:3] + quaternions.to_rotation(x[3:]) @ screw_translation(d), ROTATIONS.retract(x[3:], d[:3])
        )

    def glide(self, x: Float[Array, "7"], d: Float[Array, "6"]) -> tuple[Float[Array, "7"], Float[Array, "6"]]:
        """Move the origin on a straight line while the body turns; return the end, and the twist in the axes there."""
        turned = ROTATIONS.retract(x[3:], d[:3])
        shift = quaternions.to_rotation(x[3:]) @ d[3:]
        return concatenate(x[:3] + shift, turned), concatenate(d[:3], quaternions.to_rotation(turned).T @ shift)

    def carry(self, x: Float[Array, "7"], y: Float[Array, "7"], v: Float[Array, "6"]) -> Float[Array, "6"]:
        """Return a twist at x in the axes at y."""
        along = quaternions.to_rotation(x[3:]) @ v[3:]
        return concatenate(v[:3], quaternions.to_rotation(y[3:]).T @ along)

    def turning(self, v: Float[Array, "6"]) -> Float[Array, "6"]:
        """Return (0, omega x v)."""
        return concatenate(np.zeros(3), skew(v[:3]) @ v[3:])

    def rates_over_steps(
        self, x: Float[np.ndarray, "N 7"], v: Float[np.ndarray, "N 6"], dt: float
    ) -> Float[np.ndarray, "M 6"]:
        """Return (d omega, R(x)' d(R v) - omega x v) of each step, in the axes at its beginning."""
        R, own = quaternions.to_rotation(x[:, 3:].T).astype(float), v[:-1]
        moved = np.diff(np.einsum("ijn,nj->ni", R, v[:, 3:]), axis=0)
        along = np.einsum("jin,nj->ni", R[..., :-1], moved) / dt - np.cross(own[:, :3], own[:, 3:])
        return np.concatenate([np.diff(v[:, :3], axis=0) / dt, along], axis=1)

    def near(self, x: Float[Array, "7"], d: Float[Array, "6"]) -> Float[Array, "7"]:
        shift = d[3:] + 0.5 * (skew(d[:3]) @ d[3:])
        return concatenate(x[:3] + quaternions.to_rotation(x[3:]) @ shift, ROTATIONS.near(x[3:], d[:3]))

    def difference(self, x: Float[Array, "7"], y: Float[Array, "7"]) -> Float[Array, "6"]:
        """Return the twist (rad, m), in x's frame, from x to y."""
        return screw_to(self.turn_and_shift(x, y))

    def turn_and_shift(self, x: Float[Array, "7"], y: Float[Array, "7"]) -> Float[Array, "6"]:
        """Return the rotation vector (rad) and the translation (m), in x's frame, from x to y."""
        return concatenate(ROTATIONS.difference(x[3:], y[3:]), self._shift(x, y))

    def defect(self, x: Float[Array, "7"], y: Float[Array, "7"]) -> Float[Array, "6"]:
        return concatenate(ROTATIONS.defect(x[3:], y[3:]), self._shift(x, y))

    def rate(self, x: Float[Array, "7"], v: Float[Array, "6"]) -> Float[Array, "7"]:
        return concatenate(quaternions.to_rotation(x[3:]) @ v[3:], ROTATIONS.rate(x[3:], v[:3]))

    def step_rate(self, d: Float[Array, "6"], v: Float[Array, "6"]) -> Float[Array, "6"]:
        return MOTIONS.step_rate(d, v)

    def turns(self, d: Float[Array, "6"]) -> list:
        return ROTATIONS.turns(d[:3])

    def normalise(self, x: Float[np.ndarray, "7"]) -> Float[np.ndarray, "7"]:
        return np.concatenate([x[:3], ROTATIONS.normalise(x[3:])])

    def is_off(self, x: Float[np.ndarray, "N 7"], tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        return ROTATIONS.is_off(x[:, 3:], tolerance)

    def to_transform(self, x: Float[Array, "7"]) -> Float[Array, "4 4"]:
        """Return the rigid motion T of a value."""
        return transform(quaternions.to_rotation(x[3:]), x[:3])

    def of_transform(self, T: Float[Array, "4 4"]) -> Float[Array, "7"]:
        """Return the value of a rigid motion T, qw >= 0."""
        return concatenate(translation(T), quaternions.from_rotation(rotation(T)))

    def _shift(self, x: Float[Array, "7"], y: Float[Array, "7"]) -> Float[Array, "3"]:
        return quaternions.to_rotation(x[3:]).T @ (y[:3] - x[:3])
