"""Newton steps onto a constraint of a mechanism."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.model.mechanism import ConstraintRows, LiveRows
from screwgraph.spatial import Array, vector


@factor(linear=("step",), cites="Newton's method on Phi(q) = 0")
def constraint_step(
    step: Sequence[Float[Array, "1"]],
    q: Sequence[Float[Array, "1"]],
    parameters: Sequence[Float[Array, "1"]] = (),
    *,
    rows: ConstraintRows | LiveRows,
) -> Float[Array, " rows"]:
    """To first order, a step from q closes the constraint: Phi + Phi_q step = 0; `parameters` are inputs."""
    rows = rows.with_values([x[0] for x in parameters])
    motion = rows.motion(q, step)
    return vector([motion[i].value + motion[i].second for i in rows.kept])
