"""Closed chains: what drives them, and whether code for them holds where they close."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.function import Function
from screwgraph.compiler.problem import Problem
from screwgraph.errors import EliminationError
from screwgraph.graph import Key
from screwgraph.robot import Robot, closed_states, constraint_jacobian

STATES = 3
"""Closed positions at which code is tried when it is made."""
TOLERANCE = 1e-6
"""Constraint violation, relative to the accelerations, above which code is not believed."""


def driven(problem: Problem) -> Problem:
    """Return the inverse problem of a closed chain: its dependent joints follow the others, and have no effort.

    Raises:
        EliminationError: only a part of a joint is independent.
        InputError: loops cannot be closed.
    """
    robot, independent = problem.robot, problem.robot.independent_joints
    split = [name for name in independent if name not in robot.joint_names]
    if split:
        raise EliminationError(
            f"only a part of joint {split[0].partition('[')[0]!r} is independent",
            why="efforts are asked of whole joints",
            fix="choose whole joints with robot.with_independent_joints(names)",
        )
    follow = {name for name in robot.joint_names if name not in independent}
    idle = {Key("tau", name): np.zeros(robot.joint(name).type.nv) for name in sorted(follow)}
    known = [key for key in problem.known if not (isinstance(key, Key) and key.kind == "qdd" and key.name in follow)]
    return replace(problem, known=(*known, *idle), constants={**problem.constants, **idle})


def checked(robot: Robot, function: Function) -> Function:
    """Return code for a robot with loops if it holds at some closed positions.

    Raises:
        EliminationError: it divides by what vanishes there.
    """
    if robot.loops and not all(_holds(robot, function, q) for q in closed_states(robot, STATES)):
        raise EliminationError(
            f"order {function.ordering!r} divides by what vanishes where the loops of robot {robot.name!r} close",
            why="the mechanism is singular, or a pivot was chosen at open positions",
            fix="try another ordering",
        )
    return function


def _holds(robot: Robot, function: Function, q: Float[np.ndarray, " nq"]) -> bool:
    """Tell whether the answer at rest is finite, and, where it is accelerations, keeps the loops closed."""
    rng = np.random.default_rng(0)
    at_rest = {"q": q, "qd": np.zeros(robot.nv)}
    numbers: dict[str, float] = {}
    for argument in function.arguments:
        values = at_rest.get(argument.name, rng.standard_normal(argument.shape))
        numbers |= dict(zip(argument.names, np.ravel(values), strict=True))
    with np.errstate(all="ignore"):
        found = np.array(function.program.evaluate([numbers[n] for n in function.program.input_names]), dtype=float)
    if not np.isfinite(found).all() or function.name != "forward_dynamics":
        return bool(np.isfinite(found).all())
    return bool(np.abs(constraint_jacobian(robot, q) @ found).max() <= TOLERANCE * np.abs(found).max())
