"""Points of links that rest on ground at some times."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.graph.factors.held_point import held_point
from screwgraph.spatial import Array, rotation, vector


@factor(linear=("Vdot", "F", "choice"), cites="Lynch & Park (8.51); Featherstone (2008), 11.3: contacts made and lost")
def switched_point(
    Vdot: Float[Array, "6"],
    V: Float[Array, "6"],
    F: Float[Array, "6"],
    choice: Float[Array, "3"],
    on: Float[Array, "1"],
    *,
    at: Float[np.ndarray, "3"],
    T_lf: Float[np.ndarray, "4 4"],
) -> Float[Array, "6"]:
    """The acceleration (m/s^2) of a point `at` is that chosen where `on` is 0, zero where it is 1; then the force is.

    F (moment N m, force N) has the axes of the frame T_lf, the choice those of the link.
    """
    moving = held_point.function(Vdot, V, at=at)
    turned = rotation(T_lf) @ F[3:]
    rest = 1.0 - on[0]
    return vector(
        [
            *(a - rest * x for a, x in zip(moving, choice, strict=True)),
            *(f - on[0] * x for f, x in zip(turned, choice, strict=True)),
        ]
    )
