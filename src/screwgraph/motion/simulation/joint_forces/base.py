"""What every force along a coordinate offers that a time step treats implicitly."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np
from jaxtyping import Float

from screwgraph.tape import Number


class JointForce(Protocol):
    """A force (N m, N) that does not grow with the velocity at the end of a step: it cannot make a step unstable.

    Methods work on every kind of number: floats, scalars of a tape.
    """

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        """Return c and D >= 0: near the velocity v at the end of a step dt (s) from q and qd, the force is c - D v'."""
        ...


@runtime_checkable
class KinkedForce(JointForce, Protocol):
    """A force whose tangent depends on the velocity: Newton's method finds it."""

    def onward(self, v: Number, found: Number) -> Number:
        """Return where the next tangent is taken, after the one at v led to a velocity: at most one piece further."""
        ...

    def safe(self, q: Number, qd: Number, v: Number, found: Number, dt: Number) -> tuple[Number, Number]:
        """Return c and D >= 0 for the last solution: the force itself where the tangent at v led to a velocity on the
        same piece, and in any case one that brings no energy.
        """
        ...

    def bounds(
        self, q: Float[np.ndarray, " N"], qd: Float[np.ndarray, " N"]
    ) -> tuple[Float[np.ndarray, " N"], Float[np.ndarray, " N"]]:
        """Return the least and the largest force in steps that end at some positions and velocities."""
        ...
