"""Coulomb friction, which sticks and slips."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.spatial import choose
from screwgraph.tape import Number

CREEP = 1e-6
"""Velocity (rad/s, m/s) below which a joint counts as sticking: there, friction is a steep damper."""


@dataclass(frozen=True)
class Friction:
    """The force -F sign(v') of a joint that slips; one that sticks is held by up to F (N m, N).

    Sticking is -F v' / CREEP, so that the law is a function: v' of a joint that is held is below `CREEP`.
    Implicit in v' it is the friction law of time stepping: Moreau (1988), section 10; Acary & Brogliato (2008), 1.1.5.
    """

    level: float
    is_linear = False

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        forward, backward = v > CREEP, v < -CREEP
        steep = choose(forward, 0.0, choose(backward, 0.0, self.level / CREEP))
        return choose(forward, -self.level, choose(backward, self.level, 0.0)), steep
