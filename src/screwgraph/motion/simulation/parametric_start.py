"""States at which motions begin where lengths of a model are inputs: closed for those of each motion."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError, ModelError
from screwgraph.mechanics.mechanism.initial_state import find_initial_position, find_initial_velocity, project_velocity
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.model.robot.parameters import with_numbers
from screwgraph.motion.simulation.closure_parameters import ClosureParameters, find_closure_parameters
from screwgraph.motion.simulation.initial_state import initial_position, initial_states, initial_velocity, is_batched
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.step_parameters import StepValues

State = tuple[np.ndarray, np.ndarray]


@dataclass(frozen=True, eq=False)
class _Closure:
    """How states are closed for some lengths: positions near a guess, velocities that are checked, or the nearest."""

    position: Callable[[Any], np.ndarray]
    velocity: Callable[[np.ndarray, Any], np.ndarray]
    nearest: Callable[[np.ndarray, np.ndarray], np.ndarray]


def live_states(model: Robot | Mechanism, given: StepValues | None, q0: Any, qd0: Any) -> State:
    """Return the states at which motions begin, as `initial_states` does, closed for the lengths that are given.

    Raises:
        InputError: numbers that are no states, of which motion; different numbers of states and values.
        ModelError: a mechanism does not close at its lengths.
    """
    lengths = ClosureParameters() if given is None else find_closure_parameters(model, given.names, given.payload)
    if given is None or not lengths.places:
        return initial_states(dynamics_of(model), q0, qd0)

    def start(i: int, q: Any, qd: Any) -> State:
        closure = _closure(model, lengths, lengths.numbers(given.row(i)))
        at = closure.position(q)
        return at, closure.velocity(at, qd)

    return _each(start, given.count, q0, qd0)


def close_for_parameters(model: Robot | Mechanism, given: StepValues, q: np.ndarray, qd: np.ndarray) -> State:
    """Return the states nearest to given ones, (n,) or (B, n), that constraints allow for other lengths.

    Raises:
        InputError: loops do not close nearby, or there are different numbers of states and values.
        ModelError: a mechanism does not close nearby.
    """
    lengths = find_closure_parameters(model, given.names, given.payload)
    if not lengths.places:
        return q, qd

    def close_sample(i: int, q: Any, qd: Any) -> State:
        closure = _closure(model, lengths, lengths.numbers(given.row(i)))
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


def _closure(model: Robot | Mechanism, lengths: ClosureParameters, values: Float[np.ndarray, " k"]) -> _Closure:
    if isinstance(model, Mechanism):
        made = live_mechanism(model, lengths.names).with_values(values.tolist())
        code = compile_mechanism(model, lengths.names).closing_at(values)
        at, rate = partial(find_initial_position, made, code=code), partial(find_initial_velocity, made, code=code)
        return _Closure(at, rate, partial(project_velocity, code))
    robot = with_numbers(model, lengths.parameters, values)
    kept = list(robot.mobility.kept)

    def nearest(q: np.ndarray, qd: np.ndarray) -> np.ndarray:
        K = constraint_jacobian(robot, q)[kept]
        return qd - np.linalg.lstsq(K, K @ qd, rcond=None)[0]

    return _Closure(partial(initial_position, robot), partial(initial_velocity, robot), nearest)
