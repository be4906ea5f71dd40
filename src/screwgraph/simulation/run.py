"""Simulation: from a model and a start to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics import mass_matrix
from screwgraph.errors import InputError
from screwgraph.mechanism.projection import Projection
from screwgraph.models.mechanism import Mechanism
from screwgraph.robot import Robot, unknown, without_loops
from screwgraph.simulation.automatic import AUTO, all_finite, balanced, chosen, guard
from screwgraph.simulation.balance import Balance
from screwgraph.simulation.collect import Watch, collected
from screwgraph.simulation.constraints import Constraints
from screwgraph.simulation.doubt import energy_moved, warn_of_imbalance
from screwgraph.simulation.methods import METHODS, State, Tolerances
from screwgraph.simulation.models import Dynamics, Efforts, RobotDynamics, dynamics_of, efforts, system_of
from screwgraph.simulation.start import sample_times
from screwgraph.simulation.stepper import stepper
from screwgraph.simulation.system import System
from screwgraph.simulation.trajectory import Trajectory
from screwgraph.simulation.work import integrated, uncertainty

SMALL = 1e-3
"""Part of the potential energy below which no motion is worth a warning."""
MASSLESS = 1e-12
"""Inertia of a joint relative to the largest, or to its own where others yield, that is more than rounding."""
Torques = Float[np.ndarray, " m"] | Efforts
"""Constant ones, or a function of time."""


def simulate(
    model: Robot | Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = AUTO,
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
    if method != AUTO and method not in METHODS:
        raise unknown("method", method, [AUTO, *METHODS])
    times, tolerances, dynamics = sample_times(model, time, dt), tolerances_of(rtol, atol), dynamics_of(model)
    torques = efforts(dynamics, tau)
    q, qd = dynamics.start(q0, qd0)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(dynamics, q, qd)
        constraints = dynamics.constraints(q)
        start = State(q, qd, float(dynamics.violation(q[None])[0]))
        system = system_of(dynamics, torques, constraints)
        name = chosen(method, system, start, float(times[1]))

        def system_at(state: State) -> System:
            return system_of(dynamics, torques, dynamics.constraints(state.q))

        sound = all_finite if callable(torques) else balanced(dynamics, torques)
        watched = guard(method, name, system_at, tolerances, sound)
        states = _states(dynamics, torques, name, start, constraints, system_at, times, tolerances)
        with _blaming_massless_joints(dynamics, start.q):
            found = collected(system, name, start, states, times, watch, watched)
        moved, kept = (found.t, found.q, found.qd), found.violation
        return simulated(dynamics, found.by, torques, *moved, violation=kept, work=found.work)


def _states(
    dynamics: Dynamics,
    torques: Torques,
    method: str,
    start: State,
    constraints: Constraints | Projection | None,
    system_at: Callable[[State], System],
    times: Float[np.ndarray, " N"],
    tolerances: Tolerances,
) -> Iterator[State]:
    """Yield the states after the start: by machine code as long as it holds, from there on by steps in Python."""
    state, done = start, 0
    if not callable(torques):
        made = stepper(dynamics.manifold, dynamics.function, constraints, method)
        x = constraints.x if isinstance(constraints, Constraints) else np.zeros(0)
        dt, force = float(times[1] - times[0]), dynamics.force(torques)
        for ahead in [] if made is None else made.states(start, force, len(times) - 1, dt, x):
            yield ahead
            state, done = ahead, done + 1
    if done < len(times) - 1:
        yield from METHODS[method](system_at(state), state, times[done:], tolerances)


def tolerances_of(rtol: float, atol: float) -> Tolerances:
    """Check the tolerances that a user gives. Raises InputError."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 1e-13 <= value < 1.0:
            raise InputError(f"{name}: expected a tolerance, got {value!r}", fix="give a number from 1e-13 to below 1")
    return Tolerances(float(rtol), float(atol))


def check_start(dynamics: Dynamics, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> None:
    """Check that accelerations are determined where the motion begins. Raises InputError."""
    force = dynamics.force(dynamics.checked(None, "tau"))
    if not np.isfinite(dynamics.function.few(q, qd, force)).all():
        raise InputError(
            "the accelerations at the beginning are not finite",
            why=f"the {dynamics.kind} stands at a singular position",
            fix="begin beside it, with another q0",
        )


@contextmanager
def _blaming_massless_joints(dynamics: Dynamics, q: Float[np.ndarray, " nq"]) -> Iterator[None]:
    """Give the reason where a simulation fails because a direction of motion has inertia only by rounding."""
    try:
        yield
    except InputError as error:
        if not isinstance(dynamics, RobotDynamics):
            raise
        M = np.asarray(mass_matrix(without_loops(dynamics.model))(q))
        own = np.diag(M)
        scale = 1.0 / np.sqrt(own)
        sizes, directions = np.linalg.eigh(scale[:, None] * M * scale)
        if min(sizes[0], own.min() / own.max()) > MASSLESS:
            raise
        least = np.argmax(np.abs(directions[:, 0])) if sizes[0] <= MASSLESS else np.argmin(own)
        name = dynamics.owners[int(least)]
        raise InputError(
            error.what,
            why=f"joint {name!r} moves almost nothing that has inertia",
            fix=f"lock={[name]!r} when loading, or give the joint an armature",
        ) from error


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
    work: Float[np.ndarray, " N"] | None = None,
    check_balance: bool = True,
) -> Trajectory:
    """Return a trajectory: torques, accelerations, energy, work and gaps added to the states that a method found.

    `work` is what the method integrated itself, from some state on, NaN before. Warns (RuntimeWarning) where energy is
    not accounted for, if asked to: that of a motion with other parameters than the model's does not balance.
    """
    if callable(torques):
        tau = np.array([torques(*state) for state in zip(t.tolist(), q, qd, strict=True)]).reshape(len(t), -1)
    else:
        tau = np.tile(torques, (len(t), 1)) if torques.ndim == 1 else torques
    T, U, power = dynamics.energy(q, qd, tau)
    if qdd is None:
        qdd = np.asarray(dynamics.function.few(q, qd, dynamics.force(tau)))
    done, violation = integrated(power, t), dynamics.violation(q, violation)
    if work is not None and np.isfinite(work).any():
        first = int(np.argmax(np.isfinite(work)))
        done[first:] = done[first - 1] + work[first:]
    run = Trajectory(dynamics.model, method, t, q, qd, qdd, tau, balance=Balance(T + U, done, violation))
    moved = max(energy_moved(T, U, done), SMALL * float(np.abs(U).max()))
    residual = run.energy_drift - uncertainty(power, t)
    if check_balance and residual <= 2.0 * (
        T.max() + np.ptp(U)
    ):  # what is more is an error of the work: torques change within steps
        warn_of_imbalance(method, residual, moved)
    return run
