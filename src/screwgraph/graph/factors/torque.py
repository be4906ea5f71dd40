"""Torque of a joint."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor import Labels, factor
from screwgraph.graph.variable_kinds import Role
from screwgraph.model.robot import Joint
from screwgraph.spatial import Array


def _solved_for_effort(n: Labels) -> str:
    text = f"{n['F']}ᵀ A{n['i']}"
    if "qd" in n:
        text += f" + d{n['i']} {n['qd']}"
    text += f" + J{n['i']} {n['qdd']}" if "qdd" in n else ""
    return text + "".join(f" − c{n['i']},{x[1:]} {x}" for x in n.get("multipliers", ()))


@factor(
    linear=("F", "tau", "qd", "qdd", "multipliers"),
    conjugate=(Role.COORDINATE_ACCELERATION, Role.COORDINATE_FORCE),
    cites="Lynch & Park (8.49); Xie & Dellaert (2019), eq. (7)",
    solved={"tau": _solved_for_effort},
)
def torque(
    F: Float[Array, "6"],
    tau: Float[Array, " nv"],
    q: Float[Array, " nq"] | None = None,
    qd: Float[Array, " nv"] | None = None,
    qdd: Float[Array, " nv"] | None = None,
    multipliers: Sequence[Float[Array, "1"]] = (),
    q_couplings: Sequence[Float[Array, "1"]] = (),
    velocity: Float[Array, " nv"] | None = None,
    *,
    joint: Joint,
    couplings: Sequence[CouplingLaw] = (),
) -> Float[Array, " nv"]:
    """The torque carries the wrench along the screw axes, the damping and the rotor, less what couplings give.

    Arguments that have no effect are not bound: q where the axes are constant, qd without damping, qdd without rotor.
    `velocity` is that of what is not linear in it: forces of the joint (`joint.forces`), for which q is bound, too, and
    the rotor of a floating joint, whose momentum is constant in axes that do not turn.
    Each multiplier is of a coupling (`couplings`); q_couplings: positions of nonlinear ones.
    """
    axes = joint.type.screw_axes(joint.type.manifold.identity() if q is None else q)
    balance = axes.T @ F - tau
    if qd is not None:
        balance = balance + joint.damping * qd
    positions = iter(q_couplings)
    for law, multiplier in zip(couplings, multipliers, strict=True):
        q_tied = [] if law.coupling.is_linear else [next(positions) for _ in law.joints]
        balance = balance - law.gradient(q_tied)[law.place(joint.name)] * multiplier
    for force in joint.forces:
        balance = balance + force.torque(q, velocity)
    if qdd is None:
        return balance
    if joint.has_turning_axes and velocity is not None:
        balance = balance + joint.turned_momentum(velocity, joint.armature * velocity)
    return balance + joint.armature * qdd
