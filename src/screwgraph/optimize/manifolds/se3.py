"""Rigid motions."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.manifolds.base import moving
from screwgraph.optimize.manifolds.so3 import SO3
from screwgraph.spatial import Array, exp6, inverse, log6, skew, transform


@dataclass(frozen=True)
class SE3:
    """Rigid motions T (4, 4), moved by twists (omega, v) in the body's own frame: T exp([d]). Lynch & Park (3.88)."""

    shape: tuple[int, ...] = (4, 4)
    dim: int = 6

    def identity(self) -> Float[np.ndarray, "4 4"]:
        """No motion."""
        return np.eye(4)

    def retract(self, x: Float[Array, "4 4"], d: Float[Array, "6"]) -> Float[Array, "4 4"]:
        """Move T by the twist d (rad, m) in its own frame."""
        return x @ exp6(d)

    def local(self, x: Float[Array, "4 4"], y: Float[Array, "4 4"]) -> Float[Array, "6"]:
        """Return the twist (rad, m), in x's frame, from x to y."""
        return log6(inverse(x) @ y)

    def near(self, x: Float[Array, "4 4"], d: Float[Array, "6"]) -> Float[Array, "4 4"]:
        """Return T (I + [d] + [d]^2 / 2)."""
        W, v = skew(d[:3]), d[3:]
        return x @ transform(np.eye(3) + W + 0.5 * (W @ W), v + 0.5 * (W @ v))

    def moved(self, x: Float[np.ndarray, "N 4 4"], d: Float[np.ndarray, "N 6"]) -> Float[np.ndarray, "N 4 4"]:
        """Move N of them."""
        return moving(self)(x, d)

    def fault(self, x: Float[np.ndarray, "N 4 4"]) -> str:
        """Say which are no rigid motions."""
        wrong = np.flatnonzero((x[:, 3] != np.array([0.0, 0.0, 0.0, 1.0])).any(axis=1))
        return f"number {wrong[0]} has another last row than (0, 0, 0, 1)" if len(wrong) else SO3().fault(x[:, :3, :3])
