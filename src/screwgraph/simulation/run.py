"""Simulation: from a robot and a start to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import islice
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.dynamics import forward_dynamics
from screwgraph.errors import InputError
from screwgraph.robot import Robot, unknown
from screwgraph.simulation.constraints import Constraints
from screwgraph.simulation.energy import energies, work_done
from screwgraph.simulation.methods import METHODS, State, Tolerances
from screwgraph.simulation.start import Sized, initial_position, initial_velocity, sample_times
from screwgraph.simulation.stepper import stepper
from screwgraph.simulation.system import Efforts, System, acceleration, efforts
from screwgraph.simulation.trajectory import Trajectory

CHUNK = 100
"""States between two looks at the watch."""

Watch = Callable[[float], object]
"""Progress callback: is called with the time (s) that the motion has reached; true ends the simulation there."""


def simulate(
    robot: Robot,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = "rk4",
    tau: Float[np.ndarray, " nv"] | Efforts | None = None,
    *,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    watch: Watch | None = None,
) -> Trajectory:
    """Simulate a robot.

    Args:
        robot: a tree, or a robot with loops and couplings, which stay closed.
        q0: position at the beginning (nq,), by default the neutral one; the nearest position at which loops close.
        qd0: velocity at the beginning (nv,), by default rest; loops must allow it.
        time: length of the motion (s), a multiple of dt.
        dt: distance of the states (s); the step of all methods but "dop853".
        method: "dop853" (adaptive, order 8), or a rule of `time.RULES`: "rk4" (order 4), "semi_implicit" (Euler,
            order 1), implicit ones for stiff motions "trapezoidal" (order 2), "radau" (order 3, L-stable), ...
        tau: joint torques: none, constant (nv,), or a function of t, q and qd, and of nothing else: it is called
            several times a step.
        rtol: relative error of one step that "dop853" allows.
        atol: absolute error of one step that "dop853" allows (SI units).
        watch: is called now and then with the time reached, first with 0.0; if it returns true, the motion ends there.

    Raises:
        InputError: a bad argument, an initial velocity that loops forbid, or a simulation that diverged.
        EliminationError: a joint moves nothing that has inertia.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    times, tolerances = sample_times(robot, time, dt), tolerances_of(rtol, atol)
    q, qd, forces = starting_state(robot, q0, qd0, tau)
    function = forward_dynamics(robot)
    constraints = Constraints(robot, q) if robot.is_closed else None
    start = State(q, qd) if constraints is None else State(*constraints.projected(0.0, q, qd))
    system = System(robot.manifold, acceleration(function, forces), constraints)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        _check_start(function, start)
        states = _states(robot, function, forces, constraints, system, (method, start, times, tolerances))
        q, qd, violation = collected(robot, start, states, times, watch or (lambda t: False))
        t = times[: len(q)]
        return simulated(robot, method, function, forces, (t, q, qd, violation))


def starting_state(
    robot: Robot, q0: Any, qd0: Any, tau: Any
) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], Float[np.ndarray, " nv"] | Efforts]:
    """Return position and velocity at which a motion begins, loops closed, and checked torques. Raises InputError."""
    forces = efforts(robot, tau)
    q = initial_position(robot, q0)
    return q, initial_velocity(robot, q, qd0), forces


def _states(
    robot: Robot,
    function: Function,
    forces: Float[np.ndarray, " nv"] | Efforts,
    constraints: Constraints | None,
    system: System,
    motion: tuple[str, State, Float[np.ndarray, " N"], Tolerances],
) -> Iterator[State]:
    """Yield the states after the start: by machine code as long as it holds, from there on by steps in Python."""
    method, state, times, tolerances = motion
    made = None if callable(forces) else stepper(robot, function, constraints, method)
    done = 0
    if made is not None and not callable(forces):
        dt, x = float(times[1] - times[0]), constraints.x if constraints else np.zeros(0)
        for ahead in made.states(state, forces, len(times) - 1, dt, x):
            yield ahead
            state, done = ahead, done + 1
    if done < len(times) - 1:
        here = replace(system, constraints=Constraints(robot, state.q) if robot.is_closed else None)
        yield from METHODS[method](here, state, times[done:], tolerances)


def tolerances_of(rtol: float, atol: float) -> Tolerances:
    """Check the tolerances that a user gives. Raises InputError."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 1e-13 <= value < 1.0:
            raise InputError(f"{name}: expected a tolerance, got {value!r}", fix="give a number from 1e-13 to below 1")
    return Tolerances(float(rtol), float(atol))


def _check_start(function: Function, start: State) -> None:
    """Make machine code, and see that it has an answer where the motion begins."""
    if not np.isfinite(function(start.q, start.qd, np.zeros(len(start.qd)))).all():
        raise InputError(
            "the accelerations at the beginning are not finite",
            why="the robot stands at a singular position",
            fix="begin beside it, with another q0",
        )


def collected(
    robot: Sized, start: State, states: Iterator[State], times: Float[np.ndarray, " N"], watch: Watch
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Keep all states of a model; check them, and look at the watch, after each chunk.

    Returns q, qd and loop-closure errors at the times that were reached.

    Raises:
        InputError: the simulation diverged.
    """
    n = len(times)
    q, qd, violation = np.empty((n, robot.nq)), np.empty((n, robot.nv)), np.empty(n)
    q[0], qd[0], violation[0] = start
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
    robot: Robot,
    method: str,
    function: Function,
    forces: Float[np.ndarray, " nv"] | Efforts,
    states: tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray],
) -> Trajectory:
    """Return a trajectory: accelerations, energy and work added to the states that a method found."""
    t, q, qd, violation = states
    if callable(forces):
        tau = np.array([forces(*state) for state in zip(t.tolist(), q, qd, strict=True)])
    else:
        tau = np.tile(forces, (len(t), 1))
    dt = float(t[1] - t[0]) if len(t) > 1 else 0.0
    energy, work = energies(robot, q, qd), work_done(robot, dt, qd, tau)
    return Trajectory(robot, method, t, q, qd, function(q, qd, tau), tau, energy, work, violation)
