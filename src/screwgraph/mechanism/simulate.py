"""Motions of mechanisms by direct integration."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.mechanism.projection import projection
from screwgraph.mechanism.run import Run
from screwgraph.mechanism.start import first_position, first_velocity, generalised
from screwgraph.models.mechanism.closing import gaps
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.robot import unknown
from screwgraph.simulation import (
    METHODS,
    State,
    System,
    Watch,
    collected,
    integrated,
    sample_times,
    tolerances_of,
)
from screwgraph.spatial.manifolds import Vector


def simulate_directly(
    mechanism: Mechanism,
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
) -> Run:
    """Let a mechanism move: a method of integration, states put back onto the constraints after every step.

    Args:
        mechanism: what moves.
        q0: position at the beginning (n,), by default the assembled one; the nearest closed position is taken.
        qd0: velocity at the beginning (n,), by default that of the file, or rest.
        time: length of the motion (s), a multiple of dt.
        dt: distance of the states (s).
        method: a key of `simulation.METHODS`.
        tau: torques of the motors (N m): none, constant (motors,), or a function of t, q and qd.
        rtol: relative error of one step that "dop853" allows.
        atol: absolute error of one step that "dop853" allows (SI units).
        watch: progress callback with the time reached (s); the motion ends where it returns true.

    Raises:
        InputError: a bad argument, or a simulation that diverged.
        ModelError: the mechanism cannot be assembled.
    """
    if method not in METHODS:
        raise unknown("method", method, METHODS)
    times, (force, torques) = sample_times(mechanism, time, dt), generalised(mechanism, tau)
    tolerances = tolerances_of(rtol, atol)
    q = first_position(mechanism, q0)
    qd = first_velocity(mechanism, q, qd0)
    function, n = mechanics_of(mechanism).acceleration, mechanism.n
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(mechanism, q, qd)
        system = System(Vector(n), lambda t, q, qd: function(q, qd, force(t, q, qd)), projection(mechanism))
        states = METHODS[method](system, State(q, qd), times, tolerances)
        q, qd, _ = collected(mechanism, State(q, qd), states, times, watch or (lambda t: False))
        t = times[: len(q)]
        told = [torques(*state) for state in zip(t.tolist(), q, qd, strict=True)]
        return completed(mechanism, method, t, q, qd, np.array(told).reshape(len(t), len(mechanism.motors)))


def check_start(mechanism: Mechanism, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"]) -> None:
    """Check that accelerations are determined where the motion begins. Raises InputError."""
    if not np.isfinite(mechanics_of(mechanism).acceleration(q, qd, np.zeros(len(q)))).all():
        raise InputError(
            "the accelerations at the beginning are not finite",
            why="the mechanism stands at a singular position",
            fix="begin beside it, with another q0",
        )


def completed(
    mechanism: Mechanism,
    method: str,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N n"],
    qd: Float[np.ndarray, "N n"],
    tau: Float[np.ndarray, "N motors"],
    qdd: Float[np.ndarray, "N n"] | None = None,
) -> Run:
    """Add accelerations, energy, work and violation to the states that a method found."""
    code = mechanics_of(mechanism)
    force = np.zeros_like(q)
    slots = [mechanism.angle_slots[i] for i in mechanism.motors]
    force[:, slots] = tau
    if qdd is None:
        qdd = code.acceleration(q, qd, force)
    energies = code.energy(q, qd)
    power = energies[:, 2] + (tau * qd[:, slots]).sum(axis=1)
    work = integrated(power, float(t[1] - t[0]) if len(t) > 1 else 0.0)
    violation = gaps(*code.closing(q)).max(axis=1, initial=0.0)
    return Run(mechanism, method, t, q, qd, np.asarray(qdd), tau, energies[:, 0] + energies[:, 1], work, violation)
