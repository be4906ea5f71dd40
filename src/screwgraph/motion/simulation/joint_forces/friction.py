"""Coulomb friction, which sticks and slips."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number

CREEP = 1e-6
"""Velocity (rad/s, m/s) below which a joint counts as sticking: there, friction is a steep damper."""


@dataclass(frozen=True)
class Friction:
    """The force -F sign(v') of a joint that slips; one that sticks is held by up to F (N m, N).

    Sticking is -F v' / CREEP, so that the law is a function: v' of a joint that is held is below `CREEP`.
    Implicit in v' it is the friction law of time stepping: Moreau (1988), section 10; Acary & Brogliato (2008), 1.1.5.
    """

    level: Number

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        forward, backward = v > CREEP, v < -CREEP
        steep = choose(forward, 0.0, choose(backward, 0.0, self.level / CREEP))
        return choose(forward, -self.level, choose(backward, self.level, 0.0)), steep

    def onward(self, v: Number, found: Number) -> Number:
        """A joint that slips sticks before it slips the other way: without that, Newton's method may go in circles."""
        return choose(_piece(v) * found < 0.0, 0.0, found)

    def safe(self, q: Number, qd: Number, v: Number, found: Number, dt: Number) -> tuple[Number, Number]:
        """A damper F / |v'|, which is the law where v' is found already; else one by the velocity before the step."""
        changed = _piece(v) - _piece(found)
        near = choose(changed * changed < 0.5, found, qd)
        return 0.0, self.level / maximum(maximum(near, -near), CREEP)

    def bounds(self, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The level against the motion of a joint that slips; anything up to it holds one that sticks."""
        return np.where(qd < -CREEP, self.level, -self.level), np.where(qd > CREEP, -self.level, self.level)


def _piece(v: Number) -> Number:
    """Return 1 where a joint slips forward, -1 backward, 0 where it sticks."""
    return choose(v > CREEP, 1.0, choose(v < -CREEP, -1.0, 0.0))
