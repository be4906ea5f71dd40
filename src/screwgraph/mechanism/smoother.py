"""Motions of mechanisms by fixed-lag smoothing of their factor graphs."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.errors import InputError
from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.mechanism.run import Run
from screwgraph.mechanism.simulate import check_start, completed
from screwgraph.mechanism.sliding_window import marched
from screwgraph.mechanism.start import first_position, first_velocity, generalised
from screwgraph.mechanism.weights import Noise
from screwgraph.mechanism.windows import Windows
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.simulation import Watch, sample_times

FADING = 1e-3
"""Standard deviation of integrators of marginal windows: with larger ones they forget all but rounding."""


def simulate_by_smoothing(
    mechanism: Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    tau: Any = None,
    *,
    coordinates: str = "spanning",
    window: int = 2,
    marginal: bool = False,
    integrator: str = "trapezoidal",
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Run:
    """Let a mechanism move: its factor graph, solved in a window of states that moves on.

    Blanco-Claraco et al. (2021), section 7.1.

    The first state of each window is held as it was found, or, marginal, known as surely as what left the window says.
    Independent coordinates are those of the file, or well-conditioned ones; where they come near to not determining the
    others, others are chosen, and the motion goes on with these.

    Args:
        mechanism: what moves.
        q0: position at the beginning (n,), by default the assembled one; the nearest closed position is taken.
        qd0: velocity at the beginning (n,), by default that of the file, or rest.
        time: length of the motion (s), a multiple of dt.
        dt: distance of the states (s).
        tau: torques of the motors (N m): none, constant (motors,), or a function of t, q and qd; those of a new state
            are told from where it is expected.
        coordinates: "spanning" or "independent": Fig. 2 or Fig. 3.
        window: states in the window, N_w; 2 or more.
        marginal: whether what leaves the window stays as a prior, instead of a pinned first state.
        integrator: "trapezoidal" (order 2), "hermite_simpson" or "runge_kutta" (order 4), or "euler" (order 1).
        noise: standard deviations of the factors.
        watch: progress callback with the time reached (s); the motion ends where it returns true.

    Raises:
        InputError: a bad argument, or a window whose optimisation fails.
        ModelError: the mechanism cannot be assembled.
    """
    times = sample_times(mechanism, time, dt)
    steps = checked_window(window, len(times))
    force, torques = generalised(mechanism, tau)
    noise = noise or Noise(integration=FADING if marginal else Noise().integration)
    q = first_position(mechanism, q0)
    qd = first_velocity(mechanism, q, qd0)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(mechanism, q, qd)
        first = (q, qd, mechanics_of(mechanism).acceleration(q, qd, force(0.0, q, qd)))
        windows = Windows(mechanism, steps, float(dt), coordinates, integrator, noise, marginal, callable(tau))
        values = marched(windows, first, times, force, watch or (lambda t: False))
    t = times[: len(values["q"])]
    told = [torques(*state) for state in zip(t.tolist(), values["q"], values["v"], strict=True)]
    tau = np.array(told).reshape(len(t), len(mechanism.motors))
    return completed(mechanism, "smoother", t, values["q"], values["v"], tau, values["a"])


def checked_window(window: Any, states: int) -> int:
    """Return how many states a window has, at most all. Raises InputError for anything but a number from 2."""
    if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 2:
        raise InputError(f"window = {window!r} is not a number of states from 2", fix="the paper takes 2 to 10")
    return min(int(window), states)
