"""Values of manifolds in code: symbols, names of their numbers, and steps of many values at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import casadi_program, compiled
from screwgraph.spatial.manifolds import Manifold, Vector


def symbol(manifold: Manifold, name: str) -> Any:
    """Return a CasADi symbol for one value: a column, or a matrix."""
    import casadi as ca

    shape = manifold.shape
    return ca.SX.sym(name, *shape) if len(shape) == 2 else ca.SX.sym(name, shape[0])


def number_names(name: str, shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of an array's numbers row by row, and as CasADi holds them, column by column."""
    places = np.array([f"{name}{list(i)}" for i in np.ndindex(*shape)], dtype=object).reshape(shape)
    return tuple(places.ravel()), tuple(places.ravel(order="F"))


def moved(manifold: Manifold, x: np.ndarray, d: Float[np.ndarray, "N dim"]) -> np.ndarray:
    """Move N values (N, *shape) along as many directions."""
    return x + d if isinstance(manifold, Vector) else _moving(manifold)(x, d)


@cache
def _moving(manifold: Manifold) -> np.ufunc:
    """Return `retract` for arrays of values, compiled."""
    import casadi as ca

    x, d = symbol(manifold, "x"), ca.SX.sym("d", manifold.dim)
    rows, columns = number_names("x", manifold.shape)
    directions, _ = number_names("d", (manifold.dim,))
    result = ca.densify(manifold.retract(x, d).T)  # transposed: results are read row by row
    program = casadi_program(ca.Function("moved", [x, d], [result]), (*columns, *directions))
    arguments = [(manifold.shape, rows), ((manifold.dim,), directions)]
    return compiled("moved", program, arguments, [manifold.shape]).ufunc
