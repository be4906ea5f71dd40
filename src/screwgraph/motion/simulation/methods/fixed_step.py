"""From one step to a motion, for methods that go by steps of fixed length."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.methods.tolerances import Tolerances
from screwgraph.motion.simulation.system import System


class MotionState(NamedTuple):
    """A position, a velocity, the largest loop-closure error (rad, m), and the work (J) since the method began.

    Methods that do not integrate work leave it NaN.
    """

    __repr__ = one_line

    q: Float[np.ndarray, " nq"]
    qd: Float[np.ndarray, " nv"]
    gap: float = 0.0
    work: float = float("nan")


Step = Callable[
    [float, Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]],
    tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]],
]
"""From a time and a state to the state one step later."""


def make_fixed_step(
    step_of: Callable[[System, float], Step],
) -> Callable[[System, MotionState, Float[np.ndarray, " N"], Tolerances], Iterator[MotionState]]:
    """Make a method of what makes its step for a system and a length dt (s)."""

    def method(
        system: System, start: MotionState, times: Float[np.ndarray, " N"], tolerances: Tolerances
    ) -> Iterator[MotionState]:
        step = step_of(system, float(times[-1] - times[0]) / (len(times) - 1))
        q, qd = start[:2]
        for t, ahead in pairwise(times.tolist()):
            q, qd = step(t, q, qd)
            state = close_state(system, ahead, q, qd)
            q, qd = state[:2]
            yield state

    return method


def close_state(system: System, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> MotionState:
    """Return the state near a given one at which the loops close and stay closed."""
    return MotionState(q, qd) if system.constraints is None else MotionState(*system.constraints.project(t, q, qd))
