"""States kept, chunk after chunk: looked at, and refused where they are no motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import islice

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.motion.simulation.methods import MotionState
from screwgraph.motion.simulation.system import System, name_worst_owner

CHUNK = 100
"""States between two looks at the watch."""

Watch = Callable[[float], object]
"""Progress callback: is called with the time (s) that the motion has reached; true ends the simulation there."""


@dataclass(frozen=True, eq=False)
class StateGuard:
    """Guard of a motion: what times, states, torques and work must satisfy, and which method goes on from there.

    It is returned with its states and its own guard. It also goes on where a method ends early.
    """

    sound: Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray], bool]
    onward: Callable[[MotionState, np.ndarray], tuple[str, Iterator[MotionState], StateGuard | None]]


def report_time(watch: Watch | None, what: str, times: Float[np.ndarray, " N"]) -> Watch:
    """Return a watch that also says which of the times (s) is reached."""
    first, last = float(times[0]), float(times[-1])

    def both(t: float) -> object:
        report_progress(
            f"{what}: t = {t:.4g} s of {last:.4g} s", (t - first) / (last - first) if last > first else None
        )
        return watch is not None and watch(t)

    return both


@dataclass(frozen=True, eq=False)
class RecordedStates:
    """States at the times that were reached, and the torques there.

    `gained` is the work (J) of each step where the method integrates it, else NaN; `by` which methods, each with the
    time (s) at which it began.
    """

    t: Float[np.ndarray, " N"]
    q: Float[np.ndarray, "N nq"]
    qd: Float[np.ndarray, "N nv"]
    tau: Float[np.ndarray, "N m"]
    violation: Float[np.ndarray, " N"]
    gained: Float[np.ndarray, " N-1"]
    by: tuple[tuple[str, float], ...]

    @property
    def method(self) -> str:
        """The methods in words."""
        first, *others = self.by
        return ", ".join([first[0], *(f"from t = {t:g} s {name}" for name, t in others)])


def record_states(
    system: System,
    method: str,
    start: MotionState,
    states: Iterator[MotionState],
    times: Float[np.ndarray, " N"],
    watch: Watch | None = None,
    guard: StateGuard | None = None,
    advice: str = "",
) -> RecordedStates:
    """Keep all states of a method; check them, and look at the watch, after each chunk.

    Raises:
        InputError: the simulation diverged, with some advice.
    """
    n, watch = len(times), report_time(watch, f"simulating by {method}", times)
    q, qd, tau = (
        np.empty((n, len(start.q))),
        np.empty((n, len(start.qd))),
        system.torques_at(times[:1], start.q[None], start.qd[None]),
    )
    tau = np.concatenate([tau, np.empty((n - 1, tau.shape[1]))])
    violation, gained, done, by, worked = np.empty(n), np.full(n - 1, np.nan), 1, [(method, float(times[0]))], 0.0
    q[0], qd[0], violation[0] = start[:3]
    while done < n and not watch(float(times[done - 1])):
        before = done - 1
        for state in islice(states, min(CHUNK, n - done)):
            q[done], qd[done], violation[done], work = state
            gained[done - 1], worked = work - worked, work
            done += 1
        seen = slice(before, done)
        if done > before + 1:
            tau[before + 1 : done] = system.torques_at(
                times[before + 1 : done], q[before + 1 : done], qd[before + 1 : done]
            )
        has_ended, last = done < min(before + 1 + CHUNK, n), done - 1
        new = gained[before : done - 1]
        is_sound = guard is None or guard.sound(times[seen], q[seen], qd[seen], tau[seen], new)
        if not is_sound:
            last = before
        else:
            _check_finite(system, method, times[seen], q[seen], qd[seen], before, advice)
        if guard is not None and (has_ended or not is_sound):
            method, states, guard = guard.onward(MotionState(q[last], qd[last], violation[last]), times[last:])
            by = [*(by if last else []), (method, float(times[last]))]
            done, worked = last + 1, 0.0
    if done == n:
        watch(float(times[-1]))
    return RecordedStates(
        times[:done], q[:done], qd[:done], tau[:done], violation[:done], gained[: done - 1], tuple(by)
    )


def _check_finite(
    system: System, method: str, t: np.ndarray, q: np.ndarray, qd: np.ndarray, first: int, advice: str
) -> None:
    finite = np.isfinite(q).all(axis=1) & np.isfinite(qd).all(axis=1)
    if not finite.all():
        bad = int(np.argmin(finite))
        raise InputError(
            f"the simulation diverged before t = {t[bad]:g} s (step {first + bad}, method {method!r})"
            f"{name_worst_owner(system.owners, qd[bad])}",
            why="steps are too long for it, or it meets a singular position",
            fix=advice,
        )
