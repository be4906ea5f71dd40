"""Windows that move on: state by state, with other independent coordinates where those at hand become poor ones."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.coordinate_switching import limit, rechosen, steepness
from screwgraph.mechanism.forward_graph import FORCED
from screwgraph.mechanism.windows import OWN, Values, Windows, ahead
from screwgraph.models.mechanism.mechanism import Mechanism
from screwgraph.optimize import FixedLag, Solved, Status
from screwgraph.simulation import Watch

CHUNK = 250
"""States between two looks at the watch."""
CLOSE = 1e-6
"""Largest entry of a last step (m, rad, and their rates) that is still accepted where rounding stalls the search."""


def marched(
    windows: Windows,
    first: tuple[np.ndarray, np.ndarray, np.ndarray],
    times: Float[np.ndarray, " N"],
    force: Any,
    watch: Watch,
) -> Values:
    """Solve window by window from a first state; return positions, velocities and accelerations "q", "v", "a".

    Args:
        windows: what is solved.
        first: position, velocity and acceleration at times[0].
        times: of the states (s).
        force: forces on the coordinates (n,) at t, q, qd.
        watch: ends the motion where it returns true.

    Raises:
        InputError: a window whose optimisation fails.
    """
    original, allowed = windows.mechanism, limit(windows.mechanism)
    if windows.independent and steepness(original, first[0][None])[0] > allowed:
        windows, allowed = _chosen_at(windows, original, first[0])
    start = windows.guess(first)
    known = dict.fromkeys(start, windows.noise.prior) if windows.marginal else None
    lag = windows.smoother(start, _pushed(windows, start, times, force), known)
    check_windows([lag.solve()], float(times[0]))
    parts, done = [lag.values], windows.steps
    stopped = watch(float(times[0]))
    while not stopped and done < len(times):
        record, ended, lag = _stretch(windows, lag, times[done - 1 : done + CHUNK], force, allowed)
        check_windows(ended, float(times[done]))
        parts.append(record)
        done += len(ended)
        if windows.independent and done < len(times) and len(ended) < CHUNK:
            other, allowed = _chosen_at(windows, original, lag.values["q"][-1])
            lag = _taken_over(other, windows, lag, times[done - windows.steps : done], force)
            windows = other
        stopped = watch(float(times[done - 1]))
    return {name: np.concatenate([part[name] for part in parts]) for name in "qva"}


def _chosen_at(windows: Windows, original: Mechanism, q: np.ndarray) -> tuple[Windows, float]:
    """Return windows whose independent coordinates are good ones at q, and how steep they may become."""
    windows = replace(windows, mechanism=rechosen(original, q))
    return windows, limit(original) * max(1.0, steepness(windows.mechanism, q[None])[0])


def _stretch(
    windows: Windows, lag: FixedLag, times: np.ndarray, force: Any, allowed: float
) -> tuple[Values, list[Solved], FixedLag]:
    """Solve windows up to times[1:], or as far as independent coordinates are not too steep, but one at least."""
    saved = lag.copied()
    record, ended = lag.run(len(times) - 1, _coming(windows, lag, times, force))
    if not windows.independent:
        return record, ended, lag
    poor = ~(steepness(windows.mechanism, record["q"]) <= allowed)
    count = max(1, int(poor.argmax())) if poor.any() else len(ended)
    if count < len(ended):
        lag = saved
        record, ended = lag.run(count, _coming(windows, lag, times, force))
    return record, ended, lag


def _taken_over(other: Windows, windows: Windows, lag: FixedLag, times: np.ndarray, force: Any) -> FixedLag:
    """Return a smoother that goes on with other independent coordinates."""
    if other.mechanism is windows.mechanism:
        return lag
    values = other.around(lag.values)
    pushed = _pushed(other, values, times, force)
    if not windows.marginal:
        return other.smoother(values, pushed)
    names, n = [v.name for v in lag.problem.families], windows.mechanism.n
    sizes = {name: values[name].shape[1] for name in names}
    ends = dict(zip(names, np.cumsum([sizes[name] for name in names]).tolist(), strict=True))
    turn = np.zeros((sum(sizes.values()),) * 2)  # from directions of the new unknowns to those of the old
    for name in names:
        rows, of = slice(ends[name] - sizes[name], ends[name]), OWN.get(name, name)
        entries = windows.chosen if name in OWN else range(n)
        turn[rows, [ends[of] - n + i for i in entries]] = np.eye(sizes[name])
    information, vector = lag.prior
    return other.smoother(values, pushed, (turn.T @ information @ turn, turn.T @ vector))


def _pushed(windows: Windows, start: Values, times: np.ndarray, force: Any) -> np.ndarray:
    """Return the forces of a window: constant, or of each state."""
    states = zip(times, start["q"], start["v"], strict=False)
    if not windows.changing:
        return force(*next(states))
    return np.array([force(float(t), q, v) for t, q, v in states])


def _coming(
    windows: Windows, lag: FixedLag, times: np.ndarray, force: Any
) -> Iterator[dict[str, dict[str, np.ndarray]]] | None:
    """Return the forces at times[1:], by factors: at the state, or half-way to it; none where they do not change."""
    if not windows.changing:
        return None

    def told() -> Iterator[dict[str, dict[str, np.ndarray]]]:
        groups = {group.name for group in lag.problem.factors}
        last = force(float(times[0]), lag.values["q"][-1], lag.values["v"][-1])
        for t in times[1:]:
            now = force(float(t), *ahead(windows.dt, *(lag.values[name][-1] for name in "qva"))[:2])
            middle, last = (last + now) / 2.0, now
            yield {name: {"force": middle if half else now} for name, half in FORCED.items() if name in groups}

    return told()


def check_windows(ended: list[Solved], t: float) -> None:
    """Raise InputError where a window was not solved; t (s) is where the first one ends."""
    for solved in ended:
        if solved.status is not Status.CONVERGED and not solved.step <= CLOSE:
            raise InputError(
                f"the window that ends after t = {t:g} s cannot be solved: {solved.status.value}",
                why=f"its last step was {solved.step:.3g}; the mechanism may pass a singular position",
                fix="take a smaller dt, or another integrator",
            )
