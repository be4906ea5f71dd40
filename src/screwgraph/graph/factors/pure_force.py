"""Wrenches of forces alone."""

from __future__ import annotations

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array


@factor(linear=("F",), cites="Lynch & Park, 3.4: a wrench is a moment and a force")
def pure_force(F: Float[Array, "6"]) -> Float[Array, "3"]:
    """The moment of the wrench is zero."""
    return F[:3]
