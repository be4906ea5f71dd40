"""Accelerations of joints that gears, belts or equations coupling."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor import factor
from screwgraph.spatial import Array, vector


@factor(linear=("qdd",), cites="the second time derivative of the equation; Chignoli et al. (2023), section II")
def coupling(
    qdd: Sequence[Float[Array, "1"]],
    q: Sequence[Float[Array, "1"]] = (),
    qd: Sequence[Float[Array, "1"]] = (),
    *,
    coupling: CouplingLaw,
) -> Float[Array, "1"]:
    """The accelerations of the joints keep their equation; positions and velocities matter where it is not linear."""
    total = coupling.curvature(q, qd)
    for slope, acceleration in zip(coupling.gradient(q), qdd, strict=True):
        total = total + slope * acceleration[0]
    return vector([total])
