"""A variable whose value is known beforehand."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.graph.factor import factor
from screwgraph.spatial import Array


@factor(linear=("x",), cites="Xie & Dellaert (2019), Fig. 1", solved={"x": lambda n: "given"})
def prior(x: Float[Array, " n"], *, value: Float[np.ndarray, " n"]) -> Float[Array, " n"]:
    """The variable has this value."""
    return x - value
