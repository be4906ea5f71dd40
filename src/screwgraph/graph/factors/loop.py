"""Accelerations around a kinematic loop."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.robot import Chain
from screwgraph.spatial import Ad, Array, ad, inverse


@factor(
    linear=("Vdot_p", "Vdot_s"),
    cites="Featherstone (2008), (8.2)-(8.5); Xie & Dellaert (2019), Fig. 12",
)
def loop(
    Vdot_p: Float[Array, "6"],
    Vdot_s: Float[Array, "6"],
    V_p: Float[Array, "6"],
    V_s: Float[Array, "6"],
    q: Sequence[Float[Array, " nq"]],
    *,
    chain: Chain,
) -> Float[Array, " rows"]:
    """Along the wrenches that the loop joint transmits, both ends accelerate alike; in the successor's loop frame.

    Only independent rows are kept: for a planar linkage, it is the planar factor of Xie & Dellaert (2019).
    """
    at_p, at_s = Ad(chain.T_fp(q)), Ad(inverse(chain.loop.T_sf))
    return loop_residual(at_p @ Vdot_p, at_s @ Vdot_s, at_p @ V_p, at_s @ V_s, q, chain)


def loop_residual(
    Vdot_p: Float[Array, "6"],
    Vdot_s: Float[Array, "6"],
    V_p: Float[Array, "6"],
    V_s: Float[Array, "6"],
    q: Sequence[Float[Array, " nq"]],
    chain: Chain,
) -> Float[Array, " rows"]:
    """Return the residual for motions of both ends that are given in the successor's loop frame."""
    V_rel = V_s - V_p
    return chain.wrenches(q).T @ (Vdot_s - Vdot_p - ad(V_p) @ V_rel) + chain.rate_of_wrenches(q, V_rel)
