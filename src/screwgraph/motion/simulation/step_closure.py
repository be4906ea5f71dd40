"""Loops, couplings and constraints closed at the end of a step, as code without loops of its own."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.robot import Robot, constraint_rows, loop_pose
from screwgraph.model.robot.parameters import with_numbers
from screwgraph.motion.simulation.closure_code import closure_code, entries
from screwgraph.motion.simulation.closure_parameters import ClosureParameters
from screwgraph.motion.simulation.projection_code import fill_matrix, project_velocity, solve_closing_step
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_law import as_arguments
from screwgraph.tape import Number

STEPS = 2
"""Steps of Newton's method with one matrix, which leave the third power of what a step opens."""

State = tuple[np.ndarray, np.ndarray, list[Number]]
"""A position, a velocity, and what is left of closure errors (rad, m)."""
Closing = Callable[[TracedSteps, np.ndarray, np.ndarray, np.ndarray], State]
"""From a position, a velocity and parameters on a tape to the nearest state that constraints allow."""


def make_step_closure(model: Robot | Mechanism, lengths: ClosureParameters) -> Closing | None:
    """Return what closes a model's constraints near a state, of some lengths; None where it has none."""
    if isinstance(model, Mechanism):
        return _of_mechanism(model, lengths)
    return _of_robot(model, lengths) if model.is_closed else None


def _of_robot(robot: Robot, lengths: ClosureParameters) -> Closing:
    kept, count = robot.mobility.kept, len(constraint_rows(robot))
    rows = [*kept, *(i for i in range(count) if i not in kept)]
    function, places = closure_code(robot, rows, lengths.parameters), entries(robot, rows)
    along = sum(loop.type.nv for loop in robot.loops)

    def close_robot(space: TracedSteps, q: np.ndarray, qd: np.ndarray, values: np.ndarray) -> State:
        own = lengths.numbers(values)
        made = with_numbers(robot, lengths.parameters, own)

        def linearise_closure(q: np.ndarray) -> tuple[list[Number], list[list[Number]]]:
            at = [loop.type.nearest(loop_pose(made, loop, q)) for loop in robot.loops]
            found = function(q, *([np.concatenate(at)] if at else []), *as_arguments(own))
            return list(found[:count]), fill_matrix(len(kept), robot.nv, places, found[count + along :])

        gaps, K = linearise_closure(q)
        for _ in range(STEPS):
            q = space.retract(q, solve_closing_step(K, gaps[: len(kept)]))
            gaps, ahead = linearise_closure(q)
        return q, project_velocity(ahead, qd), gaps[: len(kept)]

    return close_robot


def _of_mechanism(mechanism: Mechanism, lengths: ClosureParameters) -> Closing:
    function = compile_mechanism(mechanism, lengths.names).projection

    def close_mechanism(space: TracedSteps, q: np.ndarray, qd: np.ndarray, values: np.ndarray) -> State:
        own = as_arguments(lengths.numbers(values))
        for _ in range(STEPS):
            q = q + function(q, qd, *own)[0]
        step, rate = function(q, qd, *own)
        return q, rate, list(step)

    return close_mechanism
