"""What every force along a coordinate offers that a time step treats implicitly."""

from __future__ import annotations

from typing import Protocol

from screwgraph.tape import Number


class JointForce(Protocol):
    """A force (N m, N) that does not grow with the velocity at the end of a step: it cannot make a step unstable.

    Methods work on every kind of number: floats, scalars of a tape.
    """

    @property
    def is_linear(self) -> bool:
        """Whether it is linear in the velocity: its tangent is the force itself."""
        ...

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        """Return c and D >= 0: near the velocity v at the end of a step dt (s) from q and qd, the force is c - D v'."""
        ...
