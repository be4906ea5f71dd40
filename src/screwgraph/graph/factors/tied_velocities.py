"""Velocities of the joints that loops and couplings tie."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.constraints import CouplingLaw
from screwgraph.graph.factor import factor
from screwgraph.model.robot import Chain, Joint
from screwgraph.spatial import Array, concatenate, vector


@factor(linear=("qd",), cites="K qd = 0, Featherstone (2008), (8.2); Chignoli et al. (2023), eq. (6)")
def tied_velocities(
    qd: Sequence[Float[Array, " nv"]],
    q: Sequence[Float[Array, " nq"]],
    *,
    joints: Sequence[Joint],
    laws: Sequence[Chain | CouplingLaw],
) -> Float[Array, " rows"]:
    """The velocities of a cluster's joints keep its loops closed and its couplings' equations."""
    number = {joint.name: i for i, joint in enumerate(joints)}
    residuals = []
    for law in laws:
        places = [number[joint.name] for joint in law.joints]
        positions, rates = [q[i] for i in places], [qd[i] for i in places]
        residuals.append(
            _of_loop(law, positions, rates) if isinstance(law, Chain) else _of_coupling(law, positions, rates)
        )
    return concatenate(*residuals)


def _of_loop(chain: Chain, q: list, qd: list) -> Float[Array, " rows"]:
    return chain.wrenches(q).T @ chain.relative_twist(q, qd)


def _of_coupling(law: CouplingLaw, q: list, qd: list) -> Float[Array, "1"]:
    parts = [slope * rate[0] for slope, rate in zip(law.gradient(q), qd, strict=True)]
    return vector([sum(parts[1:], start=parts[0])])
