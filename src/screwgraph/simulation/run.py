"""Simulation: from a model and a start to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.models.mechanism import Mechanism
from screwgraph.robot import Robot, unknown
from screwgraph.simulation.constraints import Constraints
from screwgraph.simulation.energy import integrated
from screwgraph.simulation.methods import METHODS, State, Tolerances
from screwgraph.simulation.models import Dynamics, Efforts, dynamics_of, efforts
from screwgraph.simulation.start import sample_times
from screwgraph.simulation.stepper import stepper
from screwgraph.simulation.system import System
from screwgraph.simulation.trajectory import Trajectory

CHUNK = 100
"""States between two looks at the watch."""

Watch = Callable[[float], object]
"""Progress callback: is called with the time (s) that the motion has reached; true ends the simulation there."""
Torques = Float[np.ndarray, " m"] | Efforts
"""Constant ones, or a function of time."""


def simulate(
    model: Robot | Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = "rk4",
    tau: Any = None,
    *,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    watch: Watch | None = None,
) -> Trajectory:
    """Return the motion of a model by a method of integration. Arguments as for `queries.simulate`.

    Loops stay closed, and states on the constraints, after every step.

    Raises:
        InputError: a bad argument, an initial velocity that loops forbid, or a simulation that diverged.
        EliminationError: a joint moves nothing that has inertia.
        ModelError: the mechanism cannot be assembled.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    times, tolerances, dynamics = sample_times(model, time, dt), tolerances_of(rtol, atol), dynamics_of(model)
    torques = efforts(dynamics, tau)
    q, qd = dynamics.start(q0, qd0)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(dynamics, q, qd)
        states = _states(dynamics, torques, method, (q, qd), times, tolerances)
        q, qd, violation = _collected(model, states, times, watch or (lambda t: False))
        t = times[: len(q)]
        return simulated(dynamics, method, torques, t, q, qd, violation=violation)


def _states(
    dynamics: Dynamics,
    torques: Torques,
    method: str,
    start: tuple[np.ndarray, np.ndarray],
    times: Float[np.ndarray, " N"],
    tolerances: Tolerances,
) -> Iterator[State]:
    """Yield the states: by machine code as long as it holds, from there on by steps in Python."""
    constraints = dynamics.constraints(start[0])
    state = State(*start) if constraints is None else State(*constraints.projected(0.0, *start))
    yield state
    done = 0
    if not callable(torques):
        made = stepper(dynamics.manifold, dynamics.function, constraints, method)
        x = constraints.x if isinstance(constraints, Constraints) else np.zeros(0)
        dt, force = float(times[1] - times[0]), dynamics.force(torques)
        for ahead in [] if made is None else made.states(state, force, len(times) - 1, dt, x):
            yield ahead
            state, done = ahead, done + 1
    if done < len(times) - 1:
        system = System(dynamics.manifold, dynamics.under(torques), dynamics.constraints(state.q))
        yield from METHODS[method](system, state, times[done:], tolerances)


def tolerances_of(rtol: float, atol: float) -> Tolerances:
    """Check the tolerances that a user gives. Raises InputError."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 1e-13 <= value < 1.0:
            raise InputError(f"{name}: expected a tolerance, got {value!r}", fix="give a number from 1e-13 to below 1")
    return Tolerances(float(rtol), float(atol))


def check_start(dynamics: Dynamics, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> None:
    """Make machine code, and check that accelerations are determined where the motion begins. Raises InputError."""
    if not np.isfinite(dynamics.acceleration(q, qd, dynamics.checked(None, "tau"))).all():
        raise InputError(
            "the accelerations at the beginning are not finite",
            why=f"the {dynamics.kind} stands at a singular position",
            fix="begin beside it, with another q0",
        )


def _collected(
    model: Robot | Mechanism, states: Iterator[State], times: Float[np.ndarray, " N"], watch: Watch
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keep all states of a model; check them, and look at the watch, after each chunk.

    Returns q, qd and loop-closure errors at the times that were reached.

    Raises:
        InputError: the simulation diverged.
    """
    n = len(times)
    q, qd, violation = np.empty((n, model.nq)), np.empty((n, model.nv)), np.empty(n)
    q[0], qd[0], violation[0] = next(states)
    done = 1
    while done < n and not watch(float(times[done - 1])):
        before = done
        for state in islice(states, CHUNK):
            q[done], qd[done], violation[done] = state
            done += 1
        _check_finite(times[before:done], q[before:done], qd[before:done])
    if done == n:
        watch(float(times[-1]))
    return q[:done], qd[:done], violation[:done]


def _check_finite(t: np.ndarray, q: np.ndarray, qd: np.ndarray) -> None:
    finite = np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)
    if not finite.all():
        raise InputError(
            f"the simulation diverged before t = {t[np.argmin(finite)]:g} s",
            why="steps are too long for it, or it meets a singular position",
            fix="take a smaller dt, or another method",
        )


def simulated(
    dynamics: Dynamics,
    method: str,
    torques: Float[np.ndarray, "*N m"] | Efforts,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N nq"],
    qd: Float[np.ndarray, "N nv"],
    *,
    qdd: Float[np.ndarray, "N nv"] | None = None,
    violation: Float[np.ndarray, " N"] | None = None,
) -> Trajectory:
    """Return a trajectory: torques, accelerations, energy, work and gaps added to the states that a method found."""
    if callable(torques):
        tau = np.array([torques(*state) for state in zip(t.tolist(), q, qd, strict=True)]).reshape(len(t), -1)
    else:
        tau = np.tile(torques, (len(t), 1)) if torques.ndim == 1 else torques
    energy, power = dynamics.energy(q, qd, tau)
    if qdd is None:
        qdd = np.asarray(dynamics.acceleration(q, qd, tau))
    work, violation = integrated(power, t), dynamics.violation(q, violation)
    return Trajectory(dynamics.model, method, t, q, qd, qdd, tau, energy, work, violation)
