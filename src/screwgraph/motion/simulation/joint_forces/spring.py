"""Springs along a coordinate."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.spatial import choose
from screwgraph.tape import Number


@dataclass(frozen=True)
class Spring:
    """The force -k (q - rest), k in N m/rad or N/m, `rest` in rad or m.

    Where a step is shorter than the time constant sqrt(`inertia` / k), it acts on an inertia that is k dt^2 / 4 larger,
    so that oscillations neither grow nor decay (Zhang & Skeel, 1997); where it is longer, the force is that at the end
    of the step, and what cannot be resolved decays (Euler's implicit method).
    """

    stiffness: Number
    rest: Number
    inertia: float

    def tangent(self, q: Number, qd: Number, v: Number, dt: Number) -> tuple[Number, Number]:
        full = self.stiffness * dt
        is_slow = full * dt < self.inertia
        D = choose(is_slow, 0.25 * full, full)
        return choose(is_slow, D * qd, 0.0) - self.stiffness * (q - self.rest), D
