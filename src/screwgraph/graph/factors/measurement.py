"""A variable that was measured."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array


@factor(linear=("x",), cites="Xie & Dellaert (2019), IV-C: over-constrained least-squares problems")
def measurement(x: Float[Array, " n"], measured: Float[Array, " n"]) -> Float[Array, " n"]:
    """The variable is what was measured."""
    return x - measured
