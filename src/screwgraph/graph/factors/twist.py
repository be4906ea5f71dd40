"""Velocities across a joint."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.robot import Joint
from screwgraph.spatial import Array


@factor(
    linear=("V", "V_parent", "qd"),
    cites="Lynch & Park (8.45); Xie & Dellaert (2019), eq. (4)",
    solved={"V": lambda n: f"[Ad_T{n['i']},{n['p']}({n['q']})] {n['V_parent']} + A{n['i']} {n['qd']}"},
)
def twist(
    V: Float[Array, "6"],
    V_parent: Float[Array, "6"],
    q: Float[Array, " nq"],
    qd: Float[Array, " nv"],
    *,
    joint: Joint,
) -> Float[Array, "6"]:
    """The child moves with its parent and with the joint; all in the child's frame."""
    return joint.twist_residual(V, V_parent, q, qd)
