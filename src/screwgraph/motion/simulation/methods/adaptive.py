"""SciPy's adaptive methods: their steps fit themselves to the motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.simulation.methods.fixed_step import MotionState, close_state
from screwgraph.motion.simulation.methods.tolerances import Tolerances
from screwgraph.motion.simulation.system import System

LONGEST: Mapping[str, float] = {"DOP853": 3.0, "Radau": 2.0}
"""Distances of states that a step may have under torques that are a function of time: stages are closer than states."""


def make_adaptive(
    name: str, solver: str
) -> Callable[[System, MotionState, Float[np.ndarray, " N"], Tolerances], Iterator[MotionState]]:
    """Make a method of a solver of `scipy.integrate`; its states are interpolated between steps of its own.

    Quaternions are integrated as vectors, and made unit wherever they are used; work is integrated with the motion.
    Steps do not skip torques that act for the time between two states.
    """

    def method(
        system: System, start: MotionState, times: Float[np.ndarray, " N"], tolerances: Tolerances
    ) -> Iterator[MotionState]:
        nq, nv, done = len(start.q), len(start.qd), 1
        longest = LONGEST[solver] * float(times[1] - times[0]) if system.is_driven else np.inf
        at = _solver(solver, system, start, (float(times[0]), float(times[-1])), tolerances, longest)

        def state(t: float, y: Float[np.ndarray, " n"]) -> MotionState:
            found = close_state(system, t, system.manifold.normalise(y[:nq]), y[nq : nq + nv])
            return found._replace(work=float(y[-1]) if len(y) > nq + nv else np.nan)

        while done < len(times):
            before = at.t
            if not _take_step(at):
                raise InputError(
                    f"{name} finds no step at t = {before:g} s{system.fastest(before, at.y[:nq], at.y[nq : nq + nv])}",
                    why="accelerations change too fast there, or are not finite",
                    fix="larger rtol and atol, or another start",
                )
            between = at.dense_output()
            while done < len(times) and times[done] <= at.t:
                yield state(float(times[done]), between(times[done]))
                done += 1
            if system.constraints is not None and done < len(times):
                here = state(at.t, at.y)
                at.y = np.concatenate([here.q, here.qd, at.y[nq + nv :]])
                at.f = at.fun(at.t, at.y)

    return method


def _take_step(solver: Any) -> bool:
    """Take a step; false where none is short enough."""
    try:
        solver.step()
    except InputError:
        raise
    except (ValueError, np.linalg.LinAlgError):  # a derivative that is not finite
        return False
    return solver.status != "failed"


def _solver(
    solver: str, system: System, start: MotionState, span: tuple[float, float], tolerances: Tolerances, longest: float
) -> Any:
    from scipy import integrate

    nq, nv, space = len(start.q), len(start.qd), system.manifold

    def rate(t: float, y: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
        q, qd = space.normalise(y[:nq]), y[nq : nq + nv]
        if system.powered is None:
            return np.concatenate([space.rate(q, qd), system.acceleration(float(t), q, qd)])
        qdd, power = system.powered(float(t), q, qd)
        return np.concatenate([space.rate(q, qd), qdd, [power]])

    y = np.concatenate([start.q, start.qd, np.zeros(int(system.powered is not None))])
    exactly = {"rtol": tolerances.rtol, "atol": tolerances.atol}
    return getattr(integrate, solver)(rate, span[0], y, span[1], max_step=longest, **exactly)
