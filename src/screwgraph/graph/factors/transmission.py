"""Torques of a joint that actuators drive."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.robot import Lever
from screwgraph.spatial import Array


@factor(
    linear=("tau", "efforts"),
    cites="Chignoli et al. (2023), footnote 3: tau = B(q) u",
    solved={"tau": lambda n: "Σ b u"},
)
def transmission(
    tau: Float[Array, " nv"],
    efforts: Sequence[Float[Array, "1"]],
    q: Sequence[Float[Array, " nq"]],
    *,
    name: str,
    levers: Sequence[Lever],
) -> Float[Array, " nv"]:
    """The torque of the joint of that name is the sum of the efforts of actuators, each times its lever arm.

    Where a lever has a law of force, `efforts` has its input. `q` are the positions of the joints of one lever after
    the other.
    """
    positions, residual = list(q), tau
    for lever, effort in zip(levers, efforts, strict=True):
        names = [joint.name for joint in lever.joints]
        own, positions = positions[: len(names)], positions[len(names) :]
        residual = residual - lever.arms(own)[names.index(name)] * lever.effort(own, effort[0])
    return residual
