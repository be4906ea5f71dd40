"""Motions of mechanisms by fixed-lag smoothing of their factor graphs."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.forward_graph import FORCED, forward_graph
from screwgraph.mechanism.mechanism import Mechanism
from screwgraph.mechanism.run import Run
from screwgraph.mechanism.simulate import check_start, completed
from screwgraph.mechanism.start import first_position, first_velocity, generalised
from screwgraph.mechanism.weights import Noise
from screwgraph.optimize import FixedLag, Solved, Status
from screwgraph.simulation import Watch, sample_times

CHUNK = 250
"""States between two looks at the watch."""
TOLERANCE = 1e-10
"""Largest entry of the last step of each window (m, rad, and their rates)."""
FADING = 1e-3
"""Standard deviation of integrators of marginal windows: with larger ones they forget all but rounding."""
CLOSE = 1e-6
"""Such an entry that is still accepted where rounding stalls the search."""


def simulate_by_smoothing(
    mechanism: Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    tau: Any = None,
    *,
    coordinates: str = "dependent",
    window: int = 2,
    marginal: bool = False,
    integrator: str = "trapezoidal",
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Run:
    """Let a mechanism move: its factor graph, solved in a window of states that moves on. Paper 1, section 7.1.

    The first state of each window is held as it was found, or, marginal, known as surely as what left the window says.

    Args:
        mechanism: what moves.
        q0: position at the beginning (n,), by default the assembled one; the nearest closed position is taken.
        qd0: velocity at the beginning (n,), by default that of the file, or rest.
        time: length of the motion (s), a multiple of dt.
        dt: distance of the states (s).
        tau: torques of the motors (N m): none, constant (motors,), or a function of t, q and qd; those of a new state
            are told from where it is expected.
        coordinates: "dependent" or "independent": Fig. 2 or Fig. 3.
        window: states in the window, N_w; 2 or more.
        marginal: whether what leaves the window stays as a prior, instead of a pinned first state.
        integrator: "trapezoidal" (order 2), "hermite_simpson" or "runge_kutta" (order 4), or "euler" (order 1).
        noise: standard deviations of the factors.
        watch: is told the time reached now and then; if it returns true, the motion ends there.

    Raises:
        InputError: a bad argument, or a window whose optimisation fails.
        ModelError: the mechanism cannot be assembled.
    """
    times = sample_times(mechanism, time, dt)
    steps = _checked_window(window, len(times))
    force, torques = generalised(mechanism, tau)
    noise = noise or Noise(integration=FADING if marginal else Noise().integration)
    q = first_position(mechanism, q0)
    qd = first_velocity(mechanism, q, qd0)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(mechanism, q, qd)
        first = (q, qd, mechanism.mechanics.acceleration(q, qd, force(0.0, q, qd)))
        start = _guess(mechanism, first, dt, steps, coordinates)
        pushed = force(0.0, q, qd)
        if callable(tau):
            pushed = np.array([force(float(t), *x) for t, *x in zip(times, start["q"], start["v"], strict=False)])
        problem = forward_graph(mechanism, steps, dt, coordinates, integrator, force=pushed, noise=noise)
        known = dict.fromkeys(start, noise.prior) if marginal else None
        fresh = _smoother(mechanism, steps, float(dt), coordinates, integrator, noise, marginal, callable(tau))
        lag = fresh.restarted(problem, start, known)
        ahead = _forces(lag, force, times[steps:], dt, pushed[-1]) if callable(tau) else None
        values = _record(lag, start, times, watch or (lambda t: False), ahead)
    t = times[: len(values["q"])]
    told = [torques(*state) for state in zip(t.tolist(), values["q"], values["v"], strict=True)]
    tau = np.array(told).reshape(len(t), len(mechanism.motors))
    return completed(mechanism, "smoother", t, values["q"], values["v"], tau, values["a"])


@lru_cache(maxsize=4)
def _smoother(
    mechanism: Mechanism,
    steps: int,
    dt: float,
    coordinates: str,
    integrator: str,
    noise: Noise,
    marginal: bool,
    changing: bool,
) -> FixedLag:
    """Return a smoother that motions begin with, so that its code is looked up once; nobody moves it on.

    `changing` says whether forces change over time.
    """
    rest = np.zeros(mechanism.n)
    force = np.zeros((steps, mechanism.n)) if changing else rest
    problem = forward_graph(mechanism, steps, dt, coordinates, integrator, force=force, noise=noise)
    start, predict = _guess(mechanism, (rest, rest, rest), dt, steps, coordinates), _predict(dt, coordinates)
    return FixedLag(problem, start, pinned=not marginal, predict=predict, tolerance=TOLERANCE)


def _forces(
    lag: FixedLag, force: Any, times: Float[np.ndarray, " N"], dt: float, last: Float[np.ndarray, " n"]
) -> Iterator[dict[str, dict[str, np.ndarray]]]:
    """Yield the forces of each new state, by factors: at the state, or half-way to it."""
    groups = {group.name for group in lag.problem.factors}
    for t in times:
        q, v, a = (lag.values[name][-1] for name in "qva")
        now = force(float(t), q + dt * v + dt * dt / 2.0 * a, v + dt * a)
        middle, last = (last + now) / 2.0, now
        yield {name: {"force": middle if half else now} for name, half in FORCED.items() if name in groups}


def _checked_window(window: Any, states: int) -> int:
    if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 2:
        raise InputError(f"window = {window!r} is not a number of states from 2", fix="the paper takes 2 to 10")
    return min(int(window), states)


def _guess(
    mechanism: Mechanism, first: tuple[np.ndarray, np.ndarray, np.ndarray], dt: float, steps: int, coordinates: str
) -> dict[str, Float[np.ndarray, "W n"]]:
    """Return values of a window: the first state, and where constant accelerations lead."""
    q, v, a = first
    t = dt * np.arange(steps)[:, None]
    values = {"q": q + t * v + t * t / 2.0 * a, "v": v + t * a, "a": np.tile(a, (steps, 1))}
    if coordinates == "independent":
        chosen = list(mechanism.mechanics.freedom.independent)
        values |= {z: values[x][:, chosen] for z, x in zip("zwb", "qva", strict=True)}
    return values


def _predict(dt: float, coordinates: str) -> Any:
    def ahead(q: Any, v: Any, a: Any) -> tuple[Any, Any, Any]:
        return q + dt * v + dt * dt / 2.0 * a, v + dt * a, a

    if coordinates == "dependent":
        return ahead
    return lambda q, z, v, w, a, b: tuple(x for pair in zip(ahead(q, v, a), ahead(z, w, b), strict=True) for x in pair)


def _record(
    lag: FixedLag, start: dict[str, np.ndarray], times: np.ndarray, watch: Watch, ahead: Iterator[Any] | None
) -> dict[str, np.ndarray]:
    """Solve window by window; keep the newest state of each, and all of the first."""
    _check([lag.solve()], float(times[0]))
    parts = [{name: lag.values[name] for name in start}]
    done = len(parts[0]["q"])
    if watch(float(times[0])):
        return parts[0]
    while done < len(times) and not watch(float(times[done - 1])):
        record, ended = lag.run(min(CHUNK, len(times) - done), ahead)
        _check(ended, float(times[done]))
        parts.append(record)
        done += len(ended)
    if done == len(times):
        watch(float(times[-1]))
    return {name: np.concatenate([part[name] for part in parts]) for name in start}


def _check(ended: list[Solved], t: float) -> None:
    for solved in ended:
        if solved.status is not Status.CONVERGED and not solved.step <= CLOSE:
            raise InputError(
                f"the window that ends after t = {t:g} s cannot be solved: {solved.status.value}",
                why=f"its last step was {solved.step:.3g}; position or independent coordinates may be singular",
                fix="take a smaller dt, dependent coordinates, or name an angle as independent",
            )
