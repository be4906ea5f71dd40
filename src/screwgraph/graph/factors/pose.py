"""Poses across a joint."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.robot import Joint
from screwgraph.spatial import Array, from_rows, to_rows


# Linear in the parent's pose, too: but what leads to a pose that has to be known has to be known.
@factor(
    linear=("T",),
    cites="Lynch & Park (3.65), (4.1)",
    solved={"T": lambda n: f"T{n['p']} T{n['p']},{n['i']}({n['q']})"},
)
def pose(
    T: Float[Array, "12"], T_parent: Float[Array, "12"], q: Float[Array, " nq"] | None = None, *, joint: Joint
) -> Float[Array, "12"]:
    """The child stands where its parent carries the joint; both in the base's frame, three rows of T one by one."""
    at = joint.type.manifold.identity() if q is None else q
    return T - to_rows(joint.pose(from_rows(T_parent), at))
