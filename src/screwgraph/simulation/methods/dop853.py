"""SciPy's DOP853: Runge-Kutta of order eight whose steps fit themselves to the motion."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.simulation.methods.fixed import State, closed
from screwgraph.simulation.methods.tolerances import Tolerances
from screwgraph.simulation.system import System


def dop853(system: System, start: State, times: Float[np.ndarray, " N"], tolerances: Tolerances) -> Iterator[State]:
    """Yield the states at the given times, between steps of its own by an interpolation of order seven.

    Quaternions are integrated as vectors, and made unit wherever they are used. Hairer, Norsett, Wanner (1993), II.5.
    """
    nq, done, n = len(start.q), 1, len(times)
    solver = _solver(system, np.concatenate([start.q, start.qd]), times[0], times[-1], tolerances)
    while done < n:
        before = solver.t
        solver.step()
        if solver.status == "failed":
            raise InputError(
                f"the adaptive method finds no step at t = {before:g} s",
                why="accelerations change too fast there, or are not finite",
                fix="larger tolerances, or another start",
            )
        between = solver.dense_output()
        while done < n and times[done] <= solver.t:
            y = between(times[done])
            yield closed(system, times[done], system.manifold.normalised(y[:nq]), y[nq:])
            done += 1
        if system.constraints is not None and done < n:
            q, qd, _ = closed(system, solver.t, system.manifold.normalised(solver.y[:nq]), solver.y[nq:])
            length = min(solver.h_abs, times[-1] - solver.t)
            solver = _solver(system, np.concatenate([q, qd]), solver.t, times[-1], tolerances, length)


def _solver(
    system: System, y: np.ndarray, start: float, end: float, tolerances: Tolerances, length: float | None = None
) -> Any:
    from scipy.integrate import DOP853

    nq, f, space = system.manifold.shape[0], system.acceleration, system.manifold

    def rate(t: float, y: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        q, qd = space.normalised(y[:nq]), y[nq:]
        return np.concatenate([space.rate(q, qd), f(float(t), q, qd)])

    return DOP853(rate, start, y, end, rtol=tolerances.rtol, atol=tolerances.atol, first_step=length)
