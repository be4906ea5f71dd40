"""Which efforts are the smallest, where there are more actuators than degrees of freedom."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import Labels, factor
from screwgraph.model.robot import Lever
from screwgraph.spatial import Array


def _solved_for_effort(n: Labels) -> str:
    return f"Σ bᵀ δθ / w{n['i']}"


@factor(
    linear=("effort", "adjoint_velocity"),
    cites="Chignoli et al. (2023), footnote 3; the normal equations of least u' W u / 2 under the dynamics",
    solved={"effort": _solved_for_effort},
)
def minimum_effort(
    effort: Float[Array, "1"],
    adjoint_velocity: Sequence[Float[Array, " nv"]],
    q: Sequence[Float[Array, " nq"]],
    *,
    lever: Lever,
    weight: float,
) -> Float[Array, "1"]:
    """The weighted effort is the velocity of the actuator in a motion that loops allow (see `minimum_torque`)."""
    residual, slope = weight * effort, lever.slope(q)
    for arm, velocity in zip(lever.arms(q), adjoint_velocity, strict=True):
        residual = residual - slope * (arm @ velocity)
    return residual
