"""Newton and Euler on one link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import Labels, factor
from screwgraph.graph.loop_ends import End, loop_wrenches
from screwgraph.graph.newton_euler import momentum_rate
from screwgraph.graph.variable_kinds import Role
from screwgraph.model.robot import Joint
from screwgraph.spatial import Ad, Array, concatenate, skew


def _solved_for_wrench(n: Labels) -> str:
    """Print F = ...: children first, as Algorithm 1 of Xie & Dellaert (2019) does."""
    i = n["i"]
    terms = [
        f"[Ad_T{c},{i}({q})]ᵀ {F}" for c, q, F in zip(n["children"], n["q_children"], n["F_children"], strict=True)
    ]
    text = " + ".join([*terms, f"G{i} {n['Vdot']}"]) + f" − [ad_{n['V']}]ᵀ G{i} {n['V']}"
    if "g" in n:
        text += f" − G{i} {n['g']}"
    text += "".join(f" − [Ad_T{W},{i}]ᵀ {W}" for W in n["external_wrenches"])
    return text + "".join(f" − W{i},{x[1:]} {x}" for x in n.get("multipliers", ()))


@factor(
    linear=("Vdot", "F", "F_children", "external_wrenches", "multipliers"),
    conjugate=(Role.ACCELERATION,),
    cites="Lynch & Park (8.40), (8.48); Xie & Dellaert (2019), eq. (6)",
    solved={"F": _solved_for_wrench},
)
def wrench(
    V: Float[Array, "6"],
    Vdot: Float[Array, "6"],
    F: Float[Array, "6"],
    F_children: Sequence[Float[Array, "6"]],
    q_children: Sequence[Float[Array, " nq"]],
    external_wrenches: Sequence[Float[Array, "6"]] = (),
    g: Float[Array, "3"] | None = None,
    multipliers: Sequence[Float[Array, " rows"]] = (),
    q_loops: Sequence[Float[Array, " nq"]] = (),
    *,
    G: Float[np.ndarray, "6 6"],
    joints: Sequence[Joint],
    T_fl: Sequence[Float[np.ndarray, "4 4"]] = (),
    ends: Sequence[End] = (),
) -> Float[Array, "6"]:
    """The wrenches on one link balance, in its own frame.

    F comes through the link's joint, F_children go on to the children (each in the child's frame),
    external wrenches act on the link (each in a frame f of its own, T_fl), g (m/s^2) is gravity. Each multiplier is of
    a loop that ends here; q_loops are the positions that the wrenches of these ends depend on, one end after another.
    """
    at_origin = Vdot[3:] + skew(V[:3]) @ V[3:]
    balance = momentum_rate(G, V[:3], concatenate(Vdot[:3], at_origin if g is None else at_origin - g)) - F
    for joint, q, F_child in zip(joints, q_children, F_children, strict=True):
        balance = balance + Ad(joint.T_child_parent(q)).T @ F_child
    for T, W in zip(T_fl, external_wrenches, strict=True):
        balance = balance - Ad(T).T @ W
    return balance - loop_wrenches(ends, multipliers, q_loops)
