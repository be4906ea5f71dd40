"""Derivatives of numbers on a tape by velocity coordinates."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number, is_zero, jacobian


def position_rates(manifold: Manifold, q: Array) -> Float[Array, "nq nv"]:
    """Return the derivatives of positions by velocity coordinates."""
    columns = [manifold.rate(q, v) for v in np.eye(manifold.dim)]
    return np.array(columns, dtype=object).reshape(manifold.dim, manifold.shape[0]).T


def differentiate_along(values: Sequence[Number], q: Array, rates: Float[Array, "nq nv"]) -> Float[Array, "k nv"]:
    """Return the derivatives of numbers that depend on positions q on a tape, by velocity coordinates."""
    seeds = [{j: x for j, x in enumerate(row) if not is_zero(x)} for row in rates.tolist()]
    J = np.zeros((len(values), rates.shape[1]), dtype=object)
    for i, row in enumerate(jacobian(list(values), list(q), seeds)):
        for j, slope in row.items():
            J[i, j] = slope
    return J
