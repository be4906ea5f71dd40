"""The classical Runge-Kutta method of order four; on curved joints, as Munthe-Kaas wrote it."""

from __future__ import annotations

from screwgraph.simulation.methods.explicit import Stages
from screwgraph.simulation.system import Space


def rk4(space: Space, dt, q, qd) -> Stages:
    """Take a step of a Runge-Kutta-Munthe-Kaas method: stages are steps s from the position at the beginning.

    Hairer, Lubich, Wanner (2006), section IV.8.2; on vectors it is the classical method.
    """
    moved, rate = space.retract, space.step_rate
    half, sixth = dt / 2.0, dt / 6.0
    a1 = yield 0.0, q, qd
    s, v2 = half * qd, qd + half * a1
    a2 = yield 0.5, moved(q, s), v2
    r2 = rate(s, v2)
    s, v3 = half * r2, qd + half * a2
    a3 = yield 0.5, moved(q, s), v3
    r3 = rate(s, v3)
    s, v4 = dt * r3, qd + dt * a3
    a4 = yield 1.0, moved(q, s), v4
    r4 = rate(s, v4)
    return moved(q, sixth * (qd + 2.0 * (r2 + r3) + r4)), qd + sixth * (a1 + 2.0 * (a2 + a3) + a4)
