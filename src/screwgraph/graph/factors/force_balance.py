"""Forces on one coordinate of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import ForceBalance, LiveBalance
from screwgraph.spatial import Array, vector


@factor(
    linear=("qdd", "multipliers", "tau", "force"),
    cites="Garcia de Jalon & Bayo (1994), section 5.1; Blanco-Claraco et al. (2021), (4), (5)",
)
def force_balance(
    qdd: Sequence[Float[Array, "1"]] = (),
    multipliers: Sequence[Float[Array, " rows"]] = (),
    tau: Float[Array, "1"] | None = None,
    force: Float[Array, "1"] | None = None,
    q: Sequence[Float[Array, "1"]] = (),
    qd: Sequence[Float[Array, "1"]] = (),
    parameters: Sequence[Float[Array, "1"]] = (),
    *,
    balance: ForceBalance | LiveBalance,
) -> Float[Array, "1"]:
    """Inertia and constraints take what weights, springs, dampers, motors (tau) and external forces give.

    `parameters` are those that are inputs.
    """
    balance = balance.with_values([x[0] for x in parameters])
    positions = {i: x[0] for i, x in zip(balance.positions, q, strict=True)}
    velocities = {i: x[0] for i, x in zip(balance.velocities, qd, strict=True)}
    accelerations = {i: x[0] for i, x in zip(balance.accelerations, qdd, strict=True)}
    total = balance.inertia(positions, velocities, accelerations) - balance.applied_force(positions, velocities)
    total = total + balance.constraint_force(positions, multipliers)
    for push in (tau, force):
        total = total if push is None else total - push[0]
    return vector([total])
