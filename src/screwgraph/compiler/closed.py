"""Closed chains: what drives them, and at which positions code for them is tried."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.problem import Problem
from screwgraph.errors import EliminationError, InputError
from screwgraph.graph import Key
from screwgraph.robot import Robot, constraint_jacobian, regular_states

SINGULAR, REGULAR = 1e-7, 1e-3
"""Singular values of K, the latter relative to the largest, below and above which a position is called so."""
RATES = ("qd", "qdd", "tau")


def driving_joints(robot: Robot) -> tuple[str, ...]:
    """Return the independent joints, which all others follow; of a tree all joints.

    Raises:
        EliminationError: only a part of a joint is independent.
        InputError: loops cannot be closed, lock the robot, or the joints that were chosen do not determine the others.
    """
    if not robot.is_closed:
        return robot.joint_names
    if not robot.independent_joints:
        raise InputError(
            f"robot {robot.name!r} is locked: its mobility is 0",
            why="loops and couplings leave no joint that could move",
            fix="check their axes, or take one out",
        )
    split = [name for name in robot.independent_joints if name not in robot.joint_names]
    if split:
        raise EliminationError(
            f"only a part of joint {split[0].partition('[')[0]!r} is independent",
            why="velocities, accelerations and efforts are asked of whole joints",
            fix="choose whole joints with robot.with_independent_joints(names)",
        )
    return robot.independent_joints


def check_free(robot: Robot, names: Iterable[str]) -> None:
    """Check that the accelerations of joints may be given: that loops and couplings let them move as they like.

    Raises:
        InputError: they do not.
    """
    if not robot.is_closed:
        return
    given = [i for name in names for i in range(robot.v_slices[name].start, robot.v_slices[name].stop)]
    found = robot.mobility
    others = [np.delete(constraint_jacobian(robot, q)[list(found.kept)], given, axis=1) for q in found.states]
    if all(np.linalg.matrix_rank(K, tol=SINGULAR) < found.rank for K in others):
        raise InputError(
            f"the accelerations of {', '.join(names)} cannot all be given",
            why=f"loops and couplings tie them; the robot has {found.freedom} freedoms",
            fix="give those of fewer joints",
        )


def driven(problem: Problem) -> Problem:
    """Return the inverse problem of a closed chain: its dependent joints follow the others, and have no effort."""
    follow, idle = _followers(problem.robot)
    known = [key for key in problem.known if not (isinstance(key, Key) and key.kind == "qdd" and key.name in follow)]
    return replace(problem, known=(*known, *idle), constants={**problem.constants, **idle})


def in_independent_coordinates(problem: Problem) -> Problem:
    """Return a problem of a closed chain that takes and gives rates and efforts of its independent joints only.

    Those of the others follow, but for their efforts, which are zero. Positions stay those of all joints.
    """
    follow, idle = _followers(problem.robot)

    def stays(key: str | Key) -> bool:
        return not isinstance(key, Key) or key.kind not in RATES or key.name not in follow

    arguments = [(name, [key for key in keys if stays(key)]) for name, keys in problem.arguments]
    known = tuple(key for key in problem.known if stays(key))
    constants = {key: value for key, value in problem.constants.items() if stays(key)}
    result = [key for key in problem.result if stays(key)]
    return replace(problem, arguments=arguments, known=(*known, *idle), constants={**constants, **idle}, result=result)


def _followers(robot: Robot) -> tuple[frozenset[str], dict[Key, np.ndarray]]:
    """Return the joints that follow the independent ones, and their efforts."""
    independent = driving_joints(robot)
    follow = [joint for joint in robot.joints if joint.name not in independent]
    idle = {Key("tau", joint.name): np.zeros(joint.type.nv) for joint in follow}
    return frozenset(joint.name for joint in follow), idle


def tried_states(robot: Robot, count: int) -> list[Float[np.ndarray, " nq"]]:
    """Return closed positions at which code must hold: up to so many, that are far from singular if there are such."""
    states = regular_states(robot, count)
    return [q for q in states if _is_regular(robot, q)] or states


def _is_regular(robot: Robot, q: Float[np.ndarray, " nq"]) -> bool:
    s = np.linalg.svd(constraint_jacobian(robot, q)[list(robot.mobility.kept)], compute_uv=False)
    return bool(s.min(initial=np.inf) > REGULAR * s.max(initial=0.0))
