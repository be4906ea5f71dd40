"""Force between a body of a mechanism and the pin at one of its points."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import PinForce
from screwgraph.spatial import Array, vector


@factor(linear=("wrench", "qdd", "multipliers"), cites="Garcia de Jalon & Bayo (1994), section 5.1")
def pin_force(
    wrench: Float[Array, " d"],
    qdd: Sequence[Float[Array, "1"]],
    multipliers: Sequence[Float[Array, " rows"]],
    q: Sequence[Float[Array, "1"]],
    *,
    pin: PinForce,
) -> Float[Array, " d"]:
    """The pin gives what inertia and constraints of the body take, less its weight and torques."""
    positions = {i: x[0] for i, x in zip(pin.positions, q, strict=True)}
    accelerations = {i: x[0] for i, x in zip(dict.fromkeys(pin.accelerations), qdd, strict=True)}
    return wrench - vector(pin.force(positions, accelerations, multipliers))
