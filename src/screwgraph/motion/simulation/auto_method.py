"""The method "auto": steps of fixed length while they are sound, an adaptive method where they are not."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.integration_rules import between_states
from screwgraph.motion.simulation.energy_warning import exchanged_energy
from screwgraph.motion.simulation.mechanical_work import integrate_power
from screwgraph.motion.simulation.methods import METHODS, MotionState, Tolerances
from screwgraph.motion.simulation.methods.implicit import perturbation_rates
from screwgraph.motion.simulation.state_recorder import StateGuard
from screwgraph.motion.simulation.system import Dynamics, System

STEPS = "rk4"
"""The method of fixed steps."""
STIFF, SMOOTH = "radau5", "dop853"
BALANCE = 1e-6
"""Energy balance residual of 100 steps, relative to the energy that moves, up to which fixed steps are sound."""
ROUNDING = 1e-12
FASTEST = 1.0
"""Step times the fastest rate of decay or oscillation, from which on fixed steps are not tried; RK4 is stable to 2.78.
"""
DEFECT = 1e-4
"""Error of accelerations between two states, relative to the largest ones, up to which fixed steps are sound."""
PROBES = 5
"""Times between states, of 100 steps, at which accelerations are compared where torques are a function."""
LOOSE = 1e-4
"""The energy balance residual, as `BALANCE`, of adaptive methods under torques that are a function."""
PATIENCE = 30_000
"""Accelerations that an adaptive method may spend under torques that are a function, without reaching a state."""
PER_STATE = 300
"""The same for each state of a motion."""

Onward = Callable[[MotionState, np.ndarray], tuple[str, Iterator[MotionState], StateGuard | None]]
Times = Float[np.ndarray, " N"]
States = Float[np.ndarray, "N n"]


class SoundnessCheck(Protocol):
    """Whether states at equal distances in time, the first of them known to be right, are a motion.

    `tau` are the torques there, `gained` is the work (J) of each step where the method integrates it, else NaN.
    """

    def __call__(self, t: Times, q: States, qd: States, tau: States, gained: Times) -> bool: ...


def is_fast(system: System, start: MotionState, dt: float) -> bool:
    """Return whether a motion begins too fast for fixed steps of dt (s)."""
    return is_stiff(system, 0.0, start, dt)


def make_guard(
    dynamics: Dynamics, system: System, system_at: Callable[[MotionState], System], tolerances: Tolerances
) -> StateGuard:
    """Return what "auto" looks at where it goes by fixed steps, and how it goes on where these are not sound.

    Torques that are a function may jump. Where an adaptive method gets nowhere, or stale derivatives deceive it, the
    next one goes on, fixed steps at last.
    """

    def onward(state: MotionState, times: Times) -> tuple[str, Iterator[MotionState], StateGuard | None]:
        is_stiff = _decays(system, float(times[0]), state, float(times[1] - times[0]))
        return by_turns([STIFF, SMOOTH] if is_stiff else [SMOOTH])(state, times)

    def by_turns(names: Sequence[str]) -> Onward:
        def begin(state: MotionState, times: Times) -> tuple[str, Iterator[MotionState], StateGuard | None]:
            here = system_at(state)
            if not names or not system.is_driven:
                name = names[0] if names else STEPS
                return name, METHODS[name](here, state, times, tolerances), None
            states = _patient(names[0], here, state, times, tolerances)
            return (
                names[0],
                states,
                StateGuard(check_energy_balance(dynamics, max(LOOSE, tolerances.rtol)), by_turns(names[1:])),
            )

        return begin

    return StateGuard(_sound_steps(dynamics, system), onward)


def _patient(
    name: str, system: System, start: MotionState, times: Times, tolerances: Tolerances
) -> Iterator[MotionState]:
    """Yield the states of an adaptive method, as far as it gets."""
    left, powered = PATIENCE, system.powered
    assert powered is not None

    def count_call(t: float, q: np.ndarray, qd: np.ndarray) -> tuple[np.ndarray, float]:
        nonlocal left
        left -= 1
        if left < 0:
            raise _PatienceError
        return powered(t, q, qd)

    try:
        for state in METHODS[name](replace(system, powered=count_call), start, times, tolerances):
            yield state
            left = min(left + PER_STATE, PATIENCE)
    except (_PatienceError, InputError):  # what torques say of themselves, they say again
        return


class _PatienceError(Exception):
    """An adaptive method takes too many steps."""


def check_energy_balance(dynamics: Dynamics, tolerance: float) -> SoundnessCheck:
    """Return whether states obey the energy balance, relative to the energy that moves."""

    def sound(t: Times, q: States, qd: States, tau: States, gained: Times) -> bool:
        if not all(np.isfinite(x).all() for x in (q, qd, tau)):
            return False
        T, U, power = dynamics.energy(q, qd, tau)
        work = integrate_power(power, t, gained)
        residual = T + U - T[0] - U[0] - work
        moved = exchanged_energy(T, U, work)
        return bool(np.abs(residual).max() <= tolerance * moved + ROUNDING * float(np.abs(U).max()))

    return sound


def _sound_steps(dynamics: Dynamics, system: System) -> SoundnessCheck:
    """Return whether states obey the energy balance to `BALANCE`, and between them the equations of motion.

    The latter is asked where torques are a function, at random times: those that oscillate, or jump, within a step
    look constant at the steps' own.
    """
    rng, is_balanced = np.random.default_rng(0), check_energy_balance(dynamics, BALANCE)

    def sound(t: Times, q: States, qd: States, tau: States, gained: Times) -> bool:
        is_sound = is_balanced(t, q, qd, tau, gained)
        return is_sound and (not system.is_driven or _is_solved(system, t, q, qd, rng))

    return sound


def _is_solved(system: System, t: Times, q: States, qd: States, rng: np.random.Generator) -> bool:
    """Return whether polynomials between states obey the equations of motion at random times, to `DEFECT`."""
    count = min(PROBES, len(t) - 1)
    k, part = rng.choice(len(t) - 1, size=count, replace=False), rng.uniform(0.1, 0.9, size=(count, 1))
    begun, ended = (
        (q[i], qd[i], np.array([system.acceleration(*state) for state in zip(t[i].tolist(), q[i], qd[i], strict=True)]))
        for i in (k, k + 1)
    )
    h = (t[k + 1] - t[k])[:, None]
    at, velocity, found = between_states(system.manifold, begun, ended, h, part)
    times = (t[k] + part[:, 0] * h[:, 0]).tolist()
    right = np.array([system.acceleration(*state) for state in zip(times, at, velocity, strict=True)])
    sizes = np.abs(np.concatenate([begun[2], ended[2], right])).max(axis=0)
    rounding = ROUNDING * (np.abs(q).max() / h**2 + np.abs(qd).max() / h)
    return bool((np.abs(found - right) <= DEFECT * np.maximum(sizes, DEFECT * sizes.max(initial=0.0)) + rounding).all())


def is_stiff(system: System, t: float, state: MotionState, dt: float) -> bool:
    """Return whether perturbations decay, or oscillate, too fast for an explicit step dt (s)."""
    found = perturbation_rates(system, t, state.q, state.qd)
    return bool((dt * np.abs(found[np.real(found) < np.abs(found) / 2.0]) > FASTEST).any())


def _decays(system: System, t: float, state: MotionState, dt: float) -> bool:
    """Return whether perturbations decay within a step dt (s), before they oscillate."""
    found = perturbation_rates(system, t, state.q, state.qd)
    return bool((dt * np.abs(found[np.real(found) < -np.abs(found) / 2.0]) > FASTEST).any())
