"""Velocities that a constraint of a mechanism allows."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import ConstraintRows, LiveRows
from screwgraph.spatial import Array, vector


@factor(linear=("qd", "defined"), cites="Blanco-Claraco et al. (2021), (2)")
def constraint_velocity(
    qd: Sequence[Float[Array, "1"]],
    q: Sequence[Float[Array, "1"]],
    defined: Float[Array, "1"] | None = None,
    parameters: Sequence[Float[Array, "1"]] = (),
    *,
    rows: ConstraintRows | LiveRows,
) -> Float[Array, " rows"]:
    """The constraint's time derivative vanishes: Phi_q qd = 0; `defined` is the angle that it determines.

    `parameters` are those that are inputs.
    """
    rows = rows.with_values([x[0] for x in parameters])
    return vector([rows.motion(q, qd, defined=defined)[i].second for i in rows.kept])
