"""Rotations."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.manifolds.base import moving
from screwgraph.spatial import Array, exp3, log3, skew

TOLERANCE = 1e-6


@dataclass(frozen=True)
class SO3:
    """Rotations R (3, 3), moved by turns in the body's own frame: R exp([d]). Lynch & Park (3.51)."""

    shape: tuple[int, ...] = (3, 3)
    dim: int = 3

    def identity(self) -> Float[np.ndarray, "3 3"]:
        """No rotation."""
        return np.eye(3)

    def retract(self, x: Float[Array, "3 3"], d: Float[Array, "3"]) -> Float[Array, "3 3"]:
        """Turn R by d (rad) in its own frame."""
        return x @ exp3(d)

    def local(self, x: Float[Array, "3 3"], y: Float[Array, "3 3"]) -> Float[Array, "3"]:
        """Return the turn (rad), in x's frame, from x to y."""
        return log3(x.T @ y)

    def near(self, x: Float[Array, "3 3"], d: Float[Array, "3"]) -> Float[Array, "3 3"]:
        """Return R (I + [d] + [d]^2 / 2)."""
        D = skew(d)
        return x @ (np.eye(3) + D + 0.5 * (D @ D))

    def moved(self, x: Float[np.ndarray, "N 3 3"], d: Float[np.ndarray, "N 3"]) -> Float[np.ndarray, "N 3 3"]:
        """Turn N rotations."""
        return moving(self)(x, d)

    def fault(self, x: Float[np.ndarray, "N 3 3"]) -> str:
        """Say which are no rotations."""
        errors = np.abs(np.swapaxes(x, -1, -2) @ x - np.eye(3)).max(axis=(-1, -2))
        wrong = np.flatnonzero((errors > TOLERANCE) | (np.linalg.det(x) < 0.0))
        return f"number {wrong[0]} is not a rotation matrix" if len(wrong) else ""
