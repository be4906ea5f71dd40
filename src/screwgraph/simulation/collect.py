"""States kept, chunk after chunk: looked at, and refused where they are no motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from jaxtyping import Float

from screwgraph.doing import say
from screwgraph.errors import InputError
from screwgraph.simulation.methods import State
from screwgraph.simulation.system import System, worst_owner

CHUNK = 100
"""States between two looks at the watch."""

Watch = Callable[[float], object]
"""Progress callback: is called with the time (s) that the motion has reached; true ends the simulation there."""


@dataclass(frozen=True, eq=False)
class Guard:
    """What states must satisfy, and which method goes on, from where they last did; it is returned with its states."""

    sound: Callable[[np.ndarray, np.ndarray, np.ndarray], bool]
    onward: Callable[[State, np.ndarray], tuple[str, Iterator[State]]]


def reported(watch: Watch | None, what: str, times: Float[np.ndarray, " N"]) -> Watch:
    """Return a watch that also says which of the times (s) is reached."""
    first, last = float(times[0]), float(times[-1])

    def both(t: float) -> object:
        say(f"{what}: t = {t:.4g} s of {last:.4g} s", (t - first) / (last - first) if last > first else None)
        return watch is not None and watch(t)

    return both


@dataclass(frozen=True, eq=False)
class Collected:
    """States at the times that were reached; `work` since another method went on, NaN before; `by` which methods."""

    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    violation: Float[np.ndarray, " N"]
    work: Float[np.ndarray, " N"]
    by: str


def collected(
    system: System,
    method: str,
    start: State,
    states: Iterator[State],
    times: Float[np.ndarray, " N"],
    watch: Watch | None = None,
    guard: Guard | None = None,
) -> Collected:
    """Keep all states of a method; check them, and look at the watch, after each chunk.

    Raises:
        InputError: the simulation diverged.
    """
    n, watch = len(times), reported(watch, f"simulating by {method}", times)
    q, qd = np.empty((n, len(start.q))), np.empty((n, len(start.qd)))
    violation, work, done, by = np.empty(n), np.full(n, np.nan), 1, method
    q[0], qd[0], violation[0] = start[:3]
    while done < n and not watch(float(times[done - 1])):
        before = done - 1
        for state in islice(states, CHUNK):
            q[done], qd[done], violation[done], work[done] = state
            done += 1
        seen = slice(before, done)
        if guard is not None and not guard.sound(times[seen], q[seen], qd[seen]):
            name, states = guard.onward(State(q[before], qd[before], violation[before]), times[before:])
            by = name if before == 0 else f"{method}, from t = {times[before]:g} s {name}"
            guard, done, method = None, before + 1, name
            work[:done] = np.nan
            continue
        _check_finite(system, method, times[seen], q[seen], qd[seen], before)
    if done == n:
        watch(float(times[-1]))
    return Collected(times[:done], q[:done], qd[:done], violation[:done], work[:done], by)


def _check_finite(system: System, method: str, t: np.ndarray, q: np.ndarray, qd: np.ndarray, first: int) -> None:
    finite = np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise InputError(
            f"the simulation diverged before t = {t[bad]:g} s (step {first + bad}, method {method!r})"
            f"{worst_owner(system.owners, qd[bad])}",
            why="steps are too long for it, or it meets a singular position",
            fix='take method="auto", which chooses its steps, "radau5" for stiff motions, or a smaller dt',
        )
