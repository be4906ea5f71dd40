"""Which torques are the smallest, where more joints are driven than there are degrees of freedom."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import Labels, factor
from screwgraph.spatial import Array


def _solved_for_effort(n: Labels) -> str:
    return f"{n['virtual']} / w{n['i']}"


@factor(
    linear=("tau", "adjoint_velocity"),
    cites="Xie & Dellaert (2019), section VII; the normal equations of least tau' W tau / 2 under the dynamics",
    solved={"tau": _solved_for_effort},
)
def minimum_torque(
    tau: Float[Array, " nv"], adjoint_velocity: Float[Array, " nv"], *, weight: float
) -> Float[Array, " nv"]:
    """The weighted torque is a velocity that the loops allow: no allowed change of torques is cheaper.

    Torques that leave the motion alone are those that do no work in any motion that loops allow. The smallest torques
    are orthogonal to them, so that W tau, at the joints that are driven, is such a motion itself.
    """
    return weight * tau - adjoint_velocity
