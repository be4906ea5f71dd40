"""Calls of predictive controllers from Python: how many an optimum takes, and how long parts of one are."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from time import thread_time
from unittest.mock import patch

import numpy as np
from jaxtyping import Float

from benchmarks.horizons import Horizon
from benchmarks.standing_horizons import StandingHorizon
from benchmarks.trotting_horizon import TrottingHorizon
from screwgraph.motion.control.predictive.derivatives import Derivatives
from screwgraph.motion.control.predictive.horizon import Horizon as PredictedStages
from screwgraph.tape import Part, Window

AnyHorizon = Horizon | TrottingHorizon | StandingHorizon
COLUMNS = (
    "robot, knots",
    "solver",
    "cost",
    "violation",
    "iterations",
    "to the optimum, ms",
    "an iteration, us",
    "linearising, us",
    "a barrier step, us",
    "the rest of a call, us",
    "a tick, us",
    "99 %, us",
)
TICKS, MOST_CALLS, CLOSE = 200, 200, 1e-8


def call_until_settled(horizon: AnyHorizon) -> tuple[int, Float[np.ndarray, "6"], Callable[[], object]]:
    """Return how many calls of machine code an optimum takes, its `solution`, and a call there."""
    f = horizon.controller
    given = [np.reshape(x, a.shape) for x, a in zip(horizon.arguments, f.arguments, strict=False)]
    previous, count, solution = np.zeros(f.arguments[-1].shape), 0, np.full(6, np.inf)
    while (solution[4] > CLOSE or solution[0]) and count < MOST_CALLS:
        *_, previous, solution = f(*given, previous)
        count += 1
    return count, solution, lambda: f(*given, previous)


def split_call(horizon: AnyHorizon) -> tuple[list[float], str, str, str]:
    """Return what calls take (us), what linearising and a barrier step take, and what is left of a call.

    Calls that do one of them once more go in turns with them: other programs slow all.
    """
    steps, fresh = horizon.barrier_steps, replace(horizon)
    calls = [call_until_settled(horizon)[2]]
    with linearise_twice():
        calls.append(call_until_settled(fresh)[2])
    calls.append(call_until_settled(replace(horizon, barrier_steps=steps + 1))[2])
    seconds: tuple[list[float], ...] = ([], [], [])
    for _ in range(TICKS):
        for own, call in zip(seconds, calls, strict=True):
            begin = thread_time()
            call()
            own.append(1e6 * (thread_time() - begin))
    first, *more = (min(own) for own in seconds)
    linearising, step = (x - first for x in more)
    return seconds[0], f"{linearising:.1f}", f"{step:.1f}", f"{first - linearising - steps * step:.1f}"


@contextmanager
def linearise_twice() -> Iterator[None]:
    """Let controllers that are made meanwhile linearise all stages twice."""
    once, question = Derivatives.parts, PredictedStages.question

    def list_twice(self: Derivatives, windows: tuple[Window, ...]) -> tuple[Part, ...]:
        return 2 * once(self, windows)

    def ask(self: PredictedStages) -> tuple[object, ...]:
        return (*question.__get__(self), "twice")

    with patch.object(Derivatives, "parts", list_twice), patch.object(PredictedStages, "question", property(ask)):
        yield
