"""Points of links that do not move."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array, cross, vector


@factor(linear=("Vdot",), cites="Lynch & Park (8.51): the acceleration of a point of a body")
def held_point(Vdot: Float[Array, "6"], V: Float[Array, "6"], *, at: Float[np.ndarray, "3"]) -> Float[Array, "3"]:
    """The acceleration of the point `at` (m, in the link's frame) is zero, in the link's axes."""
    spin, turning = list(V[:3]), list(Vdot[:3])
    velocity = [v + c for v, c in zip(V[3:], cross(spin, list(at)), strict=True)]
    parts = zip(Vdot[3:], cross(turning, list(at)), cross(spin, velocity), strict=True)
    return vector([a + b + c for a, b, c in parts])
