"""The motion that a problem's arguments give, and whether loops and couplings allow it."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.problem.problem import Problem
from screwgraph.graph import Role
from screwgraph.model.robot import Robot, constraint_jacobian

CONSISTENT = 1e-6
"""Part of what velocities and accelerations give each row of K qdd + dK/dt qd that may be left."""
STEP = 1e-4
"""Largest change (rad, m) of a position by which K is differentiated."""


def read_position(problem: Problem, robot: Robot, values: Mapping[str, float]) -> Float[np.ndarray, " nq"]:
    """Return the position of all joints at values of a problem's inputs; what is not given is neutral."""
    return _of_joints(problem, values, Role.POSITION, robot.neutral(), robot.q_slices)


def is_motion_allowed(problem: Problem, values: Mapping[str, float]) -> bool:
    """Tell whether given accelerations of all joints of a robot obey K qdd + dK/dt qd = 0, but for rounding."""
    robot = problem.robot_at(values)
    assert robot is not None, "accelerations are those of joints"
    rest, slices = np.zeros(robot.nv), robot.v_slices
    q = read_position(problem, robot, values)
    qd = _of_joints(problem, values, Role.VELOCITY, rest, slices)
    qdd = _of_joints(problem, values, Role.COORDINATE_ACCELERATION, rest, slices)
    K, kept, step = constraint_jacobian(robot, q), list(robot.mobility.kept), STEP / max(np.abs(qd).max(), STEP)
    ahead, behind = (constraint_jacobian(robot, robot.manifold.retract(q, s * step * qd)) for s in (1.0, -1.0))
    rate = (ahead - behind) @ qd / (2.0 * step)
    sizes = np.abs(K) @ np.abs(qdd) + np.abs(ahead - behind) @ np.abs(qd) / (2.0 * step)
    return bool((np.abs(K @ qdd + rate)[kept] <= CONSISTENT * sizes[kept].max(initial=0.0)).all())


def _of_joints(
    problem: Problem,
    values: Mapping[str, float],
    role: Role,
    start: Float[np.ndarray, " n"],
    slices: Mapping[str, slice],
) -> Float[np.ndarray, " n"]:
    found = np.array(start, dtype=float)
    for _, keys in problem.arguments:
        for key in keys:
            if key.role is role and key.name in slices:
                place = slices[key.name]
                found[place] = [values[f"{key}[{i}]"] for i in range(place.stop - place.start)]
    return found
