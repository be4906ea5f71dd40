"""Gravity as each link sees it."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.robot import Joint
from screwgraph.spatial import Array, rotation


@factor(
    linear=("g", "g_parent"),
    cites="a constant vector under a change of frame, Lynch & Park (3.28)",
    solved={"g": lambda n: f"[Ad_T{n['i']},{n['p']}({n['q']})] {n['g_parent']}"},
)
def gravity(
    g: Float[Array, "3"],
    g_parent: Float[Array, "3"],
    q: Float[Array, " nq"],
    *,
    joint: Joint,
) -> Float[Array, "3"]:
    """The child sees the gravity (m/s^2) that its parent sees, in its own frame."""
    return g - rotation(joint.T_child_parent(q)) @ g_parent
