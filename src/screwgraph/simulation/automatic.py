"""The method "auto": steps of fixed length while they are sound, an adaptive method where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.simulation.collect import Guard
from screwgraph.simulation.doubt import energy_moved
from screwgraph.simulation.methods import METHODS, State, Tolerances
from screwgraph.simulation.models import Dynamics
from screwgraph.simulation.rates import rates
from screwgraph.simulation.system import System
from screwgraph.simulation.work import integrated

AUTO = "auto"
STEPS = "rk4"
"""The method of fixed steps."""
STIFF, SMOOTH = "radau5", "dop853"
BALANCE = 1e-6
"""Energy balance residual of 100 steps, relative to the energy that moves, up to which fixed steps are sound."""
ROUNDING = 1e-12
FASTEST = 1.0
"""Step times the fastest rate of decay or oscillation, from which on a motion is stiff; RK4 is stable up to 2.78."""

Times = Float[np.ndarray, " N"]


class Sound(Protocol):
    """Whether states at equal distances in time, the first of them known to be right, are a motion."""

    def __call__(self, t: Times, q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]) -> bool: ...


def chosen(method: str, system: System, start: State, dt: float) -> str:
    """Return the method that a motion begins with: `method`, or the one that "auto" stands for there."""
    if method != AUTO:
        return method
    return STIFF if is_stiff(system, 0.0, start, dt) else STEPS


def guard(
    method: str, begun: str, system_at: Callable[[State], System], tolerances: Tolerances, sound: Sound
) -> Guard | None:
    """Return what "auto" looks at where it has begun by fixed steps, and how it goes on where they are not sound."""

    def onward(state: State, times: Times) -> tuple[str, Iterator[State]]:
        system = system_at(state)
        name = STIFF if is_stiff(system, float(times[0]), state, float(times[1] - times[0])) else SMOOTH
        return name, METHODS[name](system, state, times, tolerances)

    return Guard(sound, onward) if method == AUTO and begun == STEPS else None


def all_finite(t: Times, q: np.ndarray, qd: np.ndarray) -> bool:
    """Return whether all numbers are finite."""
    return bool(np.isfinite(q).all() and np.isfinite(qd).all())


def balanced(dynamics: Dynamics, torques: Float[np.ndarray, " m"]) -> Sound:
    """Return whether states obey the energy balance under constant torques, to `BALANCE`."""

    def sound(t: Times, q: np.ndarray, qd: np.ndarray) -> bool:
        if not all_finite(t, q, qd):
            return False
        T, U, power = dynamics.energy(q, qd, np.tile(torques, (len(t), 1)))
        work = integrated(power, t)
        residual = T + U - T[0] - U[0] - work
        moved = energy_moved(T, U, work)
        return bool(np.abs(residual).max() <= BALANCE * moved + ROUNDING * float(np.abs(U).max()))

    return sound


def is_stiff(system: System, t: float, state: State, dt: float) -> bool:
    """Return whether perturbations decay, or oscillate, too fast for an explicit step dt (s)."""
    found = rates(system, t, state.q, state.qd)
    return bool((dt * np.abs(found[np.real(found) < np.abs(found) / 2.0]) > FASTEST).any())
