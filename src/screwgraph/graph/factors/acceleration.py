"""Accelerations across a joint."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.graph.variable_kinds import Role
from screwgraph.model.robot import Joint
from screwgraph.spatial import Ad, Array, ad


@factor(
    linear=("Vdot", "Vdot_parent", "qdd"),
    conjugate=(Role.WRENCH,),
    cites="Lynch & Park (8.46); Xie & Dellaert (2019), eq. (5)",
    solved={
        "Vdot": lambda n: (
            f"[Ad_T{n['i']},{n['p']}({n['q']})] {n['Vdot_parent']} + [ad_{n['V']}] A{n['i']} {n['qd']}"
            f" + A{n['i']} {n['qdd']}"
        )
    },
)
def acceleration(
    Vdot: Float[Array, "6"],
    Vdot_parent: Float[Array, "6"],
    V: Float[Array, "6"],
    q: Float[Array, " nq"],
    qd: Float[Array, " nv"],
    qdd: Float[Array, " nv"],
    *,
    joint: Joint,
) -> Float[Array, "6"]:
    """The time derivative of the twist factor; joints whose axes move in the child add their rate."""
    return Vdot - Ad(joint.T_child_parent(q)) @ Vdot_parent - joint_acceleration(V, q, qd, qdd, joint)


def joint_acceleration(
    V: Float[Array, "6"], q: Float[Array, " nq"], qd: Float[Array, " nv"], qdd: Float[Array, " nv"], joint: Joint
) -> Float[Array, "6"]:
    """Return what a joint adds to the acceleration that its child has with the parent."""
    A = joint.type.screw_axes(q)
    bias = ad(V) @ (A @ qd)
    if not joint.type.constant_axes:
        bias = bias + joint.type.axes_rate_times(q, qd)
    return A @ qdd + bias
