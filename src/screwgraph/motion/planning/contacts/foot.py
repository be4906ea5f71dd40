"""A foot: points fixed to a frame that stand on a plane."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import concatenate, skew, sqrt

Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Foot:
    """Points of a frame (m) that touch a plane of that normal; with a radius they are centres of balls, which roll.

    With an `axis`, too, in the frame, they are centres of wheels: discs of that radius about it, which touch where they
    come lowest. One point removes three degrees of freedom, two take five, more (not in a line) six, however many they
    are.
    """

    mechanics: Mechanics
    frame: str
    points: tuple[Triple, ...]
    normal: Triple = (0.0, 0.0, 1.0)
    radius: float = 0.0
    axis: Triple | None = None

    @cached_property
    def centre(self) -> Float[np.ndarray, "3"]:
        """The mean of the points, in the frame (m)."""
        return np.mean(self.points, axis=0)

    @cached_property
    def corners(self) -> Float[np.ndarray, "c 3"]:
        """The points whose heights say how the foot lies: one, two, or three that are not in a line."""
        points = np.array(self.points)
        found = [points[0]]
        for p in points[1:]:
            if np.linalg.matrix_rank(np.array([*found[1:], p]) - found[0], tol=1e-6) == len(found):
                found.append(p)
        return np.array(found[:3])

    @property
    def turns(self) -> bool:
        """Whether the foot may turn about the normal: it stands on one point."""
        return len(self.corners) == 1

    @cached_property
    def surface(self) -> Float[np.ndarray, "3 3"]:
        """Axes of the plane in the base as columns: two tangents, and the normal."""
        n = np.array(self.normal)
        t = np.eye(3)[0] if abs(n[0]) < 0.9 else np.eye(3)[1]
        t = t - n * (t @ n)
        t /= np.linalg.norm(t)
        return np.stack([t, np.cross(n, t), n], axis=1)

    @cached_property
    def cancelling(self) -> Float[np.ndarray, "3k n"]:
        """A basis of the forces at the points, in the frame, that cancel out: none for three degrees of freedom."""
        G = np.concatenate([np.concatenate([skew(np.array(p)), np.eye(3)]) for p in self.points], axis=1)
        _, s, Vt = np.linalg.svd(G)
        return Vt[int((s > 1e-9 * s[0]).sum()) :].T

    def place(self, q: Any) -> tuple[Any, Any]:
        """Return the rotation of the frame, and the centre of the points, in the base."""
        T = self.mechanics.pose_of(self.frame)(q)
        return T[:3, :3], T[:3, 3] + T[:3, :3] @ self.centre

    def heights(self, q: Any) -> Any:
        """Return how high the corners are above the plane through the origin (m), a ball's lowest points."""
        T = self.mechanics.pose_of(self.frame)(q)
        n = self.surface[:, 2]
        return self.corners @ (T[:3, :3].T @ n) + n @ (T[:3, 3] + self.touch(T[:3, :3]))

    def touch(self, R: Any) -> Any:
        """Return where a ball or wheel touches, from its centre, in the base (3,); R is the frame's rotation."""
        n = self.surface[:, 2]
        if self.axis is None:
            return -self.radius * n
        a = R @ np.array(self.axis)
        down = n - a * (a @ n)
        return down * (-self.radius / sqrt(down @ down))

    def arms(self, R: Any) -> Any:
        """Return where the points touch, from the frame's origin, in the frame (3, k); R is its rotation."""
        touch = np.array(self.points).T
        return touch if not self.radius else touch + (R.T @ self.touch(R))[:, None]

    def wrench(self, R: Any, forces: Any) -> Any:
        """Return the wrench (moment, force) on the frame, in its axes, of forces (3 k,) at the points, in surface's."""
        arms, found = self.arms(R), np.zeros(6)
        for i in range(len(self.points)):
            f = R.T @ (self.surface @ forces[3 * i : 3 * i + 3])
            found = found + concatenate(skew(arms[:, i]) @ f, f)
        return found
