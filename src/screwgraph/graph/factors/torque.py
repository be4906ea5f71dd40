"""Effort of a joint."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import Labels, factor
from screwgraph.robot import Joint
from screwgraph.spatial import Array


def _solved_for_effort(n: Labels) -> str:
    text = f"{n['F']}ᵀ A{n['i']}"
    if "qd" in n:
        text += f" + d{n['i']} {n['qd']}"
    return text + (f" + J{n['i']} {n['qdd']}" if "qdd" in n else "")


@factor(
    linear=("F", "tau", "qd", "qdd"),
    cites="Lynch & Park (8.49); paper 0 eq. (7)",
    solved={"tau": _solved_for_effort},
)
def torque(
    F: Float[Array, "6"],
    tau: Float[Array, " nv"],
    q: Float[Array, " nq"] | None = None,
    qd: Float[Array, " nv"] | None = None,
    qdd: Float[Array, " nv"] | None = None,
    *,
    joint: Joint,
) -> Float[Array, " nv"]:
    """The effort carries the wrench along the screw axes, the damping and the rotor.

    Arguments that have no effect are not bound: q where the axes are constant, qd without damping, qdd without rotor.
    """
    axes = joint.type.screw_axes(joint.type.neutral() if q is None else q)
    balance = axes.T @ F - tau
    if qd is not None:
        balance = balance + joint.damping * qd
    return balance if qdd is None else balance + joint.armature * qdd
