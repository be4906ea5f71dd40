"""What every manifold offers."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.spatial.generic_math import Array

TOLERANCE = 1e-6
"""How far values may lie off their manifold."""


@runtime_checkable
class Manifold(Protocol):
    """Values of one shape that change along a tangent space: velocities in the body's own frame. Frozen dataclasses.

    Methods take one value. Those on `Array` work on every kind of number: float, complex, tape scalars.
    """

    @property
    def kind(self) -> str:
        """Name of a value in messages: "a rotation matrix"."""
        ...

    @property
    def shape(self) -> tuple[int, ...]:
        """Shape of one value."""
        ...

    @property
    def dim(self) -> int:
        """Number of directions in which a value can change."""
        ...

    @property
    def quaternions(self) -> tuple[int, ...]:
        """Places of a value, a vector, at which four numbers begin that are a unit quaternion."""
        ...

    def identity(self) -> np.ndarray:
        """Return the zero value."""
        ...

    def random(self, rng: np.random.Generator) -> np.ndarray:
        """Return a random value of moderate size."""
        ...

    def retract(self, x: Array, d: Array) -> Array:
        """Return where the constant velocity d leads from x in a unit of time; on tapes, turns stay below 1 rad."""
        ...

    def near(self, x: Array, d: Array) -> Array:
        """Return what agrees with `retract` up to second order in d: what derivatives at d = 0 are taken of."""
        ...

    def difference(self, x: Array, y: Array) -> Array:
        """Return the velocity that leads from x to y in a unit of time."""
        ...

    def defect(self, x: Array, y: Array) -> Array:
        """Return what agrees with `difference` up to second order, vanishes with it, and is cheap."""
        ...

    def rate(self, x: Array, v: Array) -> Array:
        """Return dx/dt at the velocity v."""
        ...

    def step_rate(self, d: Array, v: Array) -> Array:
        """Return the rate of d where retract(x, d) moves at the velocity v, to the second order in d.

        The inverse differential of the exponential map, as far as methods of order four need it.
        Hairer, Lubich & Wanner (2006), section IV.8.
        """
        ...

    def turns(self, d: Array) -> list:
        """Return the squared angles (rad^2) by which `retract` turns."""
        ...

    def normalise(self, x: np.ndarray) -> np.ndarray:
        """Return the value nearest to numbers that are off the manifold. Raises InputError where there is none."""
        ...

    def is_off(self, x: np.ndarray, tolerance: float = TOLERANCE) -> Bool[np.ndarray, " N"]:
        """Return which of N values `(N, *shape)` are off the manifold."""
        ...


def bracket_series(first: Float[Array, " dim"], second: Float[Array, " dim"], v: Float[Array, " dim"]) -> Array:
    """Return v + [d, v] / 2 + [d, [d, v]] / 12 of the two brackets."""
    return v + 0.5 * first + second / 12.0


def unwrap_quaternions(manifold: Manifold, x: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
    """Return values, one a row, whose quaternions do not change their sign from row to row."""
    x = x.copy()
    for at in manifold.quaternions:
        four = x[:, at : at + 4]
        sign = np.where((four[1:] * four[:-1]).sum(axis=1) < 0.0, -1.0, 1.0)
        four[1:] *= np.cumprod(sign)[:, None]
    return x
