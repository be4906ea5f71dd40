"""Positions, velocities or accelerations that change as little as constraints allow."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import ForceBalance, LiveBalance
from screwgraph.spatial import Array, vector


@factor(linear=("x", "multipliers", "near"), cites="the normal equations of least |x - near|^2 under constraints")
def least_change(
    x: Float[Array, "1"],
    multipliers: Sequence[Float[Array, " rows"]],
    q: Sequence[Float[Array, "1"]],
    near: Float[Array, "1"] | None = None,
    parameters: Sequence[Float[Array, "1"]] = (),
    *,
    balance: ForceBalance | LiveBalance,
) -> Float[Array, "1"]:
    """One coordinate leaves `near`, zero if there is none, along the gradients of constraints only.

    `parameters` are those that are inputs.
    """
    balance = balance.with_values([x[0] for x in parameters])
    positions = {i: value[0] for i, value in zip(balance.positions, q, strict=True)}
    change = x[0] if near is None else x[0] - near[0]
    return vector([change + balance.constraint_force(positions, multipliers)])
