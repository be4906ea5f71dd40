"""What a kind of unknown must offer."""

from __future__ import annotations

from functools import cache
from typing import Any, Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import casadi_program, compiled
from screwgraph.spatial import Array


@runtime_checkable
class Manifold(Protocol):
    """A kind of unknown: values of one shape that change along a tangent space. Frozen dataclasses."""

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""
        ...

    @property
    def dim(self) -> int:
        """Number of directions in which a value can change."""
        ...

    def identity(self) -> np.ndarray:
        """Return the value to start from when nothing is known."""
        ...

    def retract(self, x: Array, d: Array) -> Array:
        """Move one value along a tangent, on any kind of number."""
        ...

    def local(self, x: Array, y: Array) -> Array:
        """Return the tangent that moves x to y."""
        ...

    def near(self, x: Array, d: Array) -> Array:
        """Return what agrees with `retract` up to second order in d: what derivatives at d = 0 are taken of."""
        ...

    def moved(self, x: np.ndarray, d: Float[np.ndarray, "N dim"]) -> np.ndarray:
        """Move N values `(N, *shape)`."""
        ...

    def fault(self, x: np.ndarray) -> str:
        """Say what is wrong with values `(N, *shape)`; empty where nothing is."""
        ...


def symbol(manifold: Manifold, name: str) -> Any:
    """Return a CasADi symbol for one value: a column, or a matrix."""
    import casadi as ca

    shape = manifold.shape
    return ca.SX.sym(name, *shape) if len(shape) == 2 else ca.SX.sym(name, shape[0])


def number_names(name: str, shape: tuple[int, ...]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return names of an array's numbers row by row, and as CasADi holds them, column by column."""
    places = np.array([f"{name}{list(i)}" for i in np.ndindex(*shape)], dtype=object).reshape(shape)
    return tuple(places.ravel()), tuple(places.ravel(order="F"))


@cache
def moving(manifold: Manifold) -> np.ufunc:
    """Return `retract` for arrays of values, compiled."""
    import casadi as ca

    x, d = symbol(manifold, "x"), ca.SX.sym("d", manifold.dim)
    rows, columns = number_names("x", manifold.shape)
    directions, _ = number_names("d", (manifold.dim,))
    moved = ca.densify(manifold.retract(x, d).T)  # transposed: results are read row by row
    program = casadi_program(ca.Function("moved", [x, d], [moved]), (*columns, *directions))
    arguments = [(manifold.shape, rows), ((manifold.dim,), directions)]
    return compiled("moved", program, arguments, [manifold.shape]).ufunc
