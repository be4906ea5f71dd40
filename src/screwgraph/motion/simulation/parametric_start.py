"""States at which motions begin where lengths of a model are inputs: closed for those of each motion."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model import Model
from screwgraph.motion.simulation.closure_code import ClosureParameters
from screwgraph.motion.simulation.driven_motion import make_driven_motion
from screwgraph.motion.simulation.initial_state import initial_states, is_batched
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.step_parameters import StepValues

State = tuple[np.ndarray, np.ndarray]


def live_states(model: Model, given: StepValues | None, q0: Any, qd0: Any) -> State:
    """Return the states at which motions begin, as `initial_states` does, closed for the lengths that are given.

    Raises:
        InputError: numbers that are no states, of which motion; different numbers of states and values.
        ModelError: a mechanism does not close at its lengths.
    """
    dynamics = dynamics_of(model)
    lengths = ClosureParameters() if given is None else dynamics.closure_parameters(given.names, given.payload)
    if given is None or not lengths.places:
        return initial_states(make_driven_motion(dynamics, None) or dynamics, q0, qd0)

    def start(i: int, q: Any, qd: Any) -> State:
        closure = dynamics.closure_at(lengths, lengths.numbers(given.row(i)))
        at = closure.position(q)
        return at, closure.velocity(at, qd)

    return _each(start, given.count, q0, qd0)


def close_for_parameters(model: Model, given: StepValues, q: np.ndarray, qd: np.ndarray) -> State:
    """Return the states nearest to given ones, (n,) or (B, n), that constraints allow for other lengths.

    Raises:
        InputError: loops do not close nearby, or there are different numbers of states and values.
        ModelError: a mechanism does not close nearby.
    """
    dynamics = dynamics_of(model)
    lengths = dynamics.closure_parameters(given.names, given.payload)
    if not lengths.places:
        return q, qd

    def close_sample(i: int, q: Any, qd: Any) -> State:
        closure = dynamics.closure_at(lengths, lengths.numbers(given.row(i)))
        at = closure.position(q)
        return at, closure.nearest(at, qd)

    return _each(close_sample, given.count, q, qd)


def _each(state: Callable[[int, Any, Any], State], count: int, q: Any, qd: Any) -> State:
    """Return the states of all motions, so many or as many as are given; single ones where all is single."""
    batches = {len(x) for x in (q, qd) if is_batched(x)} | ({count} if count > 1 else set())
    if not batches:
        return state(0, q, qd)
    if len(batches) > 1 or 0 in batches:
        raise InputError(
            f"states and parameters are given for {' and '.join(map(str, sorted(batches)))} motions",
            why="each motion is closed for its own lengths",
            fix="give as many states as rows of parameters, or one",
        )
    found = []
    for i in range(*batches):
        try:
            found.append(state(i, *(x[i] if is_batched(x) else x for x in (q, qd))))
        except (InputError, ModelError) as error:
            raise type(error)(error.what, at=f"motion {i}", why=error.why, fix=error.fix) from error
    positions, velocities = zip(*found, strict=True)
    return np.array(positions), np.array(velocities)
