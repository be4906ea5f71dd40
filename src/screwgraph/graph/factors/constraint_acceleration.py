"""Accelerations that a constraint of a mechanism allows."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import ConstraintRows, LiveRows
from screwgraph.spatial import Array, vector


@factor(linear=("qdd", "defined", "drift"), cites="Blanco-Claraco et al. (2021), (3)")
def constraint_acceleration(
    qdd: Sequence[Float[Array, "1"]],
    q: Sequence[Float[Array, "1"]],
    qd: Sequence[Float[Array, "1"]],
    defined: Float[Array, "1"] | None = None,
    drift: Float[Array, " rows"] | None = None,
    parameters: Sequence[Float[Array, "1"]] = (),
    *,
    rows: ConstraintRows | LiveRows,
) -> Float[Array, " rows"]:
    """The second time derivative of the constraint vanishes, Phi_q qdd + (Phi_q qd)_q qd = 0, or is `drift`.

    `defined` is the acceleration of the angle that the constraint determines, where it determines one; `parameters` are
    those that are inputs.
    """
    rows = rows.with_values([x[0] for x in parameters])
    motion = rows.motion(q, qdd, qd, defined)
    found = vector([motion[i].second for i in rows.kept])
    return found if drift is None else found - drift
