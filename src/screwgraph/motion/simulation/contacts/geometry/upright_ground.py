"""Uneven ground under mechanisms in the plane, whose vertical is y."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.contacts.geometry.ground import Ground

TURNED = [0, 2, 1]
"""Axes x, z, y."""


@dataclass(frozen=True, eq=False)
class UprightGround:
    """The profile of a ground over its x axis, heights along y: its cut with y = 0, where heights are along z."""

    ground: Ground

    @property
    def fixed(self) -> None:
        """None: tangent lines are inputs of steps."""
        return

    @property
    def flat(self) -> bool:
        """No."""
        return False

    @property
    def motions(self) -> int:
        """For how many motions it is."""
        return self.ground.motions

    def select(self, motions: slice) -> UprightGround:
        """Return the ground of some of the motions."""
        return replace(self, ground=self.ground.select(motions))

    def tangent_planes(
        self, p: Float[np.ndarray, "*B k 3"], radii: Float[np.ndarray, " k"]
    ) -> Float[np.ndarray, "*B k 4"]:
        """Return the tangent lines in the plane that discs about points touch, as planes across it."""
        found = np.array(self.ground.tangent_planes(p[..., TURNED], radii))[..., [*TURNED, 3]]
        found[..., 2] = 0.0
        return found / np.linalg.norm(found[..., :3], axis=-1, keepdims=True)
