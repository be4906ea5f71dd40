"""Closed chains: which joints drive them, and queries in the coordinates of these."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

import numpy as np

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.compiler import Function
from screwgraph.graph import Key, Role
from screwgraph.mechanics.dynamics.query import Query, joint_variables, zero_values
from screwgraph.model.robot import Robot, advise_independent_joints, constraint_jacobian

SPANNING, INDEPENDENT = "spanning", "independent"
"""Coordinates: all joints', or those of `robot.independent_joints`."""
SINGULAR = 1e-7
"""Singular values of K below which a row counts as following from others."""


def find_driving_joints(robot: Robot) -> tuple[str, ...]:
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
            f"only a part of joint {split[0].rpartition('[')[0]!r} is independent",
            why="velocities, accelerations and torques are asked of whole joints",
            fix=advise_independent_joints(robot, robot.mobility.states[0]),
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
            why=f"loops and couplings tie them; the robot has {found.freedom} degrees of freedom",
            fix="give those of fewer joints",
        )


def check_coordinates(coordinates: str) -> None:
    """Raise InputError where there are no such coordinates."""
    if coordinates not in (SPANNING, INDEPENDENT):
        raise InputError(f"there are no coordinates {coordinates!r}", fix=f"choose {SPANNING!r} or {INDEPENDENT!r}")


def drive_independent_joints(query: Query) -> Query:
    """Return the inverse query of a closed chain: its dependent joints follow the others, their torques are zero."""
    follow = _followers(query.robot)
    idle = zero_values(query.robot, [Key("tau", name) for name in follow])
    unread = frozenset(Key("qdd", name) for name in follow)
    return replace(query, unread=query.unread | unread, fixed={**query.fixed, **idle})


def convert_coordinates(query: Query, coordinates: str) -> Query:
    """Return a query that takes and gives velocities, accelerations and torques of the independent joints, if asked to.

    Those of the other joints follow, but for their torques, which are zero. Positions stay those of all joints.
    """
    check_coordinates(coordinates)
    if coordinates == SPANNING:
        return query
    follow = _followers(query.robot)

    def stays(key: Key) -> bool:
        return key.role in (Role.POSITION, Role.EXTERNAL_WRENCH) or key.name not in follow

    arguments = tuple((name, tuple(key for key in keys if stays(key))) for name, keys in query.arguments)
    idle = zero_values(query.robot, [Key("tau", name) for name in follow])
    fixed = {**{key: value for key, value in query.fixed.items() if stays(key)}, **idle}
    return replace(query, arguments=arguments, fixed=fixed, result=tuple(key for key in query.result if stays(key)))


def compile_dependence(robot: Robot) -> Function:
    """Return all accelerations (..., nv) of a closed chain as a function of q, qd and those of its independent joints.

    Those are taken in the robot's order. Raises what `find_driving_joints` raises.
    """
    follow = _followers(robot)
    free = tuple(Key("qdd", name) for name in robot.joint_names if name not in follow)
    arguments = (("q", joint_variables(robot, "q")), ("qd", joint_variables(robot, "qd")), ("qdd", free))
    idle = zero_values(robot, [Key("tau", name) for name in follow])
    query = Query("dependent_accelerations", robot, arguments, joint_variables(robot, "qdd"), idle)
    return query.compile("auto", "float64")


def _followers(robot: Robot) -> tuple[str, ...]:
    """Return the joints that follow the independent ones."""
    independent = find_driving_joints(robot)
    return tuple(joint.name for joint in robot.joints if joint.name not in independent)
