"""A shape on a body."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.model.robot.shapes.mesh import Shape


@dataclass(frozen=True, eq=False)
class Visual:
    """A shape on a body: `T_bs` is its pose in the body's frame, `colour` is "#rrggbb" or empty for none."""

    __repr__ = one_line

    shape: Shape
    T_bs: Float[np.ndarray, "4 4"] = field(default_factory=lambda: np.eye(4))
    colour: str = ""

    def moved(self, T: Float[np.ndarray, "4 4"]) -> Visual:
        """Put it on another body, in whose frame the old one lies at T."""
        return Visual(self.shape, T @ self.T_bs, self.colour)
