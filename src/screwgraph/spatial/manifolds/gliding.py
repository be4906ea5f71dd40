"""Steps along which origins of bodies move on straight lines, as those of free bodies without forces do."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.generic_math import Array, concatenate
from screwgraph.spatial.manifolds.base import Manifold
from screwgraph.spatial.manifolds.product import Product


@runtime_checkable
class Gliding(Protocol):
    """A manifold whose velocities are seen from axes that turn with them."""

    def glide(self, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> tuple[Float[Array, " nq"], Float[Array, " nv"]]:
        """Return where a straight line leads in a unit of time, and its velocity in the axes there."""
        ...

    def turning(self, v: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return what the rate of v lacks to be that of the velocity in axes that do not turn."""
        ...

    def rates_over_steps(
        self, x: Float[np.ndarray, "N nq"], v: Float[np.ndarray, "N nv"], dt: float
    ) -> Float[np.ndarray, "M nv"]:
        """Return the rates of velocities by which origins accelerate over steps of dt (s), at their beginnings."""
        ...

    def carry(self, x: Float[Array, " nq"], y: Float[Array, " nq"], v: Float[Array, " nv"]) -> Float[Array, " nv"]:
        """Return a velocity at x in the axes at y."""
        ...


def glide(manifold: Manifold, x: Float[Array, " nq"], d: Float[Array, " nv"]) -> tuple[Array, Array]:
    """Return where the constant velocity d leads in a unit of time, and the velocity there.

    Where axes turn with a body, d is constant in those at the start, and its origin moves on a straight line.
    """
    ends = [
        part.glide(x[q], d[v]) if isinstance(part, Gliding) else (part.retract(x[q], d[v]), d[v])
        for part, q, v in _places(manifold)
    ]
    return concatenate(*(x for x, _ in ends)), concatenate(*(d for _, d in ends))


def turning(manifold: Manifold, v: Float[Array, " nv"]) -> Float[Array, " nv"]:
    """Return what the rate of velocities lacks to be that in axes which do not turn."""
    parts = [part.turning(v[own]) if isinstance(part, Gliding) else 0.0 * v[own] for part, _, own in _places(manifold)]
    return concatenate(*parts)


def rates_over_steps(
    manifold: Manifold, x: Float[np.ndarray, "N nq"], v: Float[np.ndarray, "N nv"], dt: float
) -> Float[np.ndarray, "M nv"]:
    """Return the rates of velocities at the beginnings of the N - 1 steps of dt (s) between states.

    Where axes turn with a body, they are those by which its origin accelerates as it does over the step: differences of
    numbers that are seen from axes at both ends lack half a step of their turning.
    """
    found = np.diff(v, axis=0) / dt
    for part, q, own in _places(manifold):
        if isinstance(part, Gliding):
            found[:, own] = part.rates_over_steps(x[:, q], v[:, own], dt)
    return found


def carry(manifold: Manifold, x: Float[Array, " nq"], y: Float[Array, " nq"], v: Float[Array, " nv"]) -> Array:
    """Return velocities at x in the axes at y, where axes turn with a body."""
    parts = [
        part.carry(x[q], y[q], v[own]) if isinstance(part, Gliding) else v[own] for part, q, own in _places(manifold)
    ]
    return concatenate(*parts)


def _places(manifold: Manifold) -> Iterator[tuple[Manifold, slice, slice]]:
    if isinstance(manifold, Product):
        yield from manifold.places
    else:
        yield manifold, slice(0, manifold.shape[0]), slice(0, manifold.dim)
