"""Where the motion of a mechanism begins, and the torques that drive it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.kinematics import as_vector, velocity_problem
from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.models.mechanism.closing import assembled
from screwgraph.models.mechanism.mechanism import Mechanism

Torques = Callable[[float, np.ndarray, np.ndarray], Any]
"""Torques of the motors as a function of time (s), q and qd."""
CONSISTENT = 1e-6
"""Velocities, relative to the largest (or 1), that constraints may forbid: they are taken away."""


def first_position(mechanism: Mechanism, q0: Any) -> Float[np.ndarray, " n"]:
    """Return where a motion begins: closed, near q0, by default where the mechanism was assembled.

    Raises:
        InputError: not n finite numbers.
        ModelError: the mechanism does not close nearby.
    """
    if q0 is None:
        return mechanism.home
    guess, every = as_vector(mechanism, q0, "q0"), np.ones(mechanism.n, dtype=bool)
    return assembled(mechanism, mechanics_of(mechanism).closing, guess, every)


def first_velocity(mechanism: Mechanism, q: Float[np.ndarray, " n"], qd0: Any) -> Float[np.ndarray, " n"]:
    """Return the velocity that a motion begins with, by default that which the file gives.

    Raises:
        InputError: not n finite numbers, or a velocity that the constraints forbid.
    """
    if qd0 is None:
        return velocity_problem(mechanism, q, mechanism.velocities) if mechanism.velocities else np.zeros(mechanism.n)
    qd = as_vector(mechanism, qd0, "qd0")
    _, J = mechanics_of(mechanism).closing(q)
    allowed = qd - np.linalg.lstsq(J, J @ qd, rcond=1e-10)[0]
    forbidden = float(np.abs(qd - allowed).max())
    if forbidden > CONSISTENT * max(1.0, float(np.abs(qd).max())):
        raise InputError(
            f"the velocity qd0 is off by {forbidden:.3g} from what the constraints allow",
            fix=f"velocity_problem(mech, q, {{{mechanism.independent_coordinates[0]!r}: 1.0}}) gives one that is not",
        )
    return allowed


def generalised(mechanism: Mechanism, tau: Any) -> tuple[Callable[[float, Any, Any], Any], Callable[..., np.ndarray]]:
    """Return two functions of t, q and qd: forces on all coordinates (n,), and checked torques (motors,) of the motors.

    Raises:
        InputError: neither a function nor finite numbers, one for each motor; when called, what the function returns.
    """
    k, slots = len(mechanism.motors), [mechanism.angle_slots[i] for i in mechanism.motors]
    if not callable(tau):
        torques = checked_torques(mechanism, np.zeros(k) if tau is None else tau, "tau")
        constant = np.zeros(mechanism.n)
        constant[slots] = torques
        return (lambda t, q, qd: constant), (lambda t, q, qd: torques)

    def told(t: float, q: Any, qd: Any) -> np.ndarray:
        return checked_torques(mechanism, tau(t, q, qd), f"what the function tau returns at t = {t:g} s")

    def force(t: float, q: Any, qd: Any) -> np.ndarray:
        result = np.zeros(mechanism.n)
        result[slots] = told(t, q, qd)
        return result

    return force, told


def checked_torques(mechanism: Mechanism, tau: Any, what: str) -> Float[np.ndarray, " motors"]:
    """Return torques as an array. Raises InputError for anything but finite numbers, one for each motor."""
    names = [mechanism.angles[i].name for i in mechanism.motors]
    try:
        array = np.asarray(tau, dtype=float)
    except (TypeError, ValueError):
        array = np.full(1, np.nan)
    if array.shape != (len(names),) or not np.isfinite(array).all():
        why = f"the motors are {', '.join(names)}" if names else "the mechanism has no motors"
        raise InputError(
            f"{what} is not {len(names)} finite torques (N m)", why=why, fix="motors: [angle, ...] in its file"
        )
    return array
