"""The classical Runge-Kutta method of order four; on curved joints, as Munthe-Kaas wrote it."""

from __future__ import annotations

from screwgraph.simulation.methods.fixed import Step
from screwgraph.simulation.system import System


def rk4(system: System, dt: float) -> Step:
    """Return the step of a Runge-Kutta-Munthe-Kaas method: stages are steps s_i from the position at the beginning.

    Hairer, Lubich, Wanner (2006), section IV.8.2; on vectors it is the classical method.
    """
    f, moved, rate = system.acceleration, system.manifold.moved, system.manifold.step_rate
    half, sixth = dt / 2.0, dt / 6.0

    def step(t, q, qd):
        a1 = f(t, q, qd)
        s = half * qd
        v2 = qd + half * a1
        a2 = f(t + half, moved(q, s), v2)
        r2 = rate(s, v2)
        s = half * r2
        v3 = qd + half * a2
        a3 = f(t + half, moved(q, s), v3)
        r3 = rate(s, v3)
        s = dt * r3
        v4 = qd + dt * a3
        a4 = f(t + dt, moved(q, s), v4)
        r4 = rate(s, v4)
        return moved(q, sixth * (qd + 2.0 * (r2 + r3) + r4)), qd + sixth * (a1 + 2.0 * (a2 + a3) + a4)

    return step
