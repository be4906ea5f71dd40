"""Forces on one coordinate of a mechanism whose motors share the work."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.graph.factors.force_balance import force_balance
from screwgraph.model.mechanism import ConstraintRows, ForceBalance
from screwgraph.spatial import Array, vector


@factor(
    linear=("qdd", "multipliers", "tau", "adjoint"),
    cites="force_balance; augmented Lagrangian of Garcia de Jalon & Bayo (1994), section 5.1.3",
)
def shared_balance(
    qdd: Sequence[Float[Array, "1"]] = (),
    multipliers: Sequence[Float[Array, " rows"]] = (),
    tau: Float[Array, "1"] | None = None,
    q: Sequence[Float[Array, "1"]] = (),
    qd: Sequence[Float[Array, "1"]] = (),
    adjoint: Sequence[Float[Array, "1"]] = (),
    *,
    balance: ForceBalance,
    weighted: tuple[ConstraintRows, ...],
) -> Float[Array, "1"]:
    """The balance of forces, less weighted rates of constraints under the adjoint velocities, which are zero."""
    slots = tuple(dict.fromkeys(i for rows in weighted for i in rows.coordinates))
    positions = {i: x[0] for i, x in zip(balance.positions, q, strict=True)}
    moved = {i: x[0] for i, x in zip(slots, adjoint, strict=True)}
    still = dict.fromkeys(slots, 0.0)
    forces = force_balance.function(qdd, multipliers, tau, None, q, qd, balance=balance)
    return vector([forces[0] - balance.reinforcement(weighted, positions, still, moved)])
