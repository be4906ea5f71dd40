"""Multipliers of loops and couplings, augmented by what loops would let move."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor import factor
from screwgraph.graph.factors.tied_velocities import tied_velocities
from screwgraph.model.robot import Chain, Joint
from screwgraph.spatial import Array


@factor(
    linear=("multiplier", "shifted", "adjoint_velocity"),
    cites="Hestenes (1969), the augmented Lagrangian of least tau' W tau / 2 under the dynamics",
    solved={"multiplier": lambda n: "μ + ρ K δθ"},
)
def augmented_multiplier(
    multiplier: Float[Array, " rows"],
    shifted: Float[Array, " rows"],
    adjoint_velocity: Sequence[Float[Array, " nv"]],
    q: Sequence[Float[Array, " nq"]],
    *,
    joints: Sequence[Joint],
    laws: Sequence[Chain | CouplingLaw],
    stiffness: float,
) -> Float[Array, " rows"]:
    """The multiplier is another one, plus a stiffness times K delta, which is zero where loops allow the motion delta.

    So K' K is added to the matrix of delta, which is then positive definite wherever the least torques are determined.
    """
    gap = tied_velocities.function(adjoint_velocity, q, joints=joints, laws=laws)
    return multiplier - shifted - stiffness * gap
