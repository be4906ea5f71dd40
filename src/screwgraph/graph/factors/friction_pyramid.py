"""Forces of contacts without slip."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array, from_rows, rotation, vector

ROUND = 1.0 / np.sqrt(2.0)
"""Friction along each tangent, of Coulomb's: a pyramid in the round cone."""


@factor(linear=("F",), cites="Kao, Lynch & Burdick (2016): friction cones, and pyramids within them")
def friction_pyramid(
    F: Float[Array, "6"], T: Float[Array, "12"], *, friction: float, least: float, normal: Sequence[float]
) -> Float[Array, "5"]:
    """Numbers that are not negative where nothing slips: four of the pyramid, the normal force beyond `least`.

    F is in the axes of the frame at T, `normal` (out of the ground) in the base's.
    """
    axes = np.linalg.svd(np.array([normal]))[2][1:]
    force = rotation(from_rows(T)) @ F[3:]
    pushing, *sliding = (
        sum(float(x) * force[i] for i, x in enumerate(axis) if x)
        for axis in (np.array(normal) / np.linalg.norm(normal), *axes)
    )
    return vector([*(ROUND * friction * pushing + sign * x for x in sliding for sign in (1.0, -1.0)), pushing - least])
