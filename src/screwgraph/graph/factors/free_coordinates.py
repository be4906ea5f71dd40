"""Entries of variables that are left to be chosen."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array, vector


@factor(linear=("x", "free"), cites="Del Prete (2014): the motions that equations leave free")
def free_coordinates(
    x: Sequence[Float[Array, " n"]], free: Float[Array, " k"], *, places: Sequence[tuple[int, int]]
) -> Float[Array, " k"]:
    """Entries of variables, each by the number of the variable and its place there, are the numbers of `free`."""
    return vector([x[i][j] - number for (i, j), number in zip(places, free, strict=True)])
