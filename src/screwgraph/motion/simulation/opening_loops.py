"""Loops of robots that open in a motion, though every step closes them: which rows, and which joints hold them."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.model.robot.closure.constraints import constraint_residual

SHARE = 1e-2
"""Closure error of a loop, relative to the largest one, from which on it is named."""


def describe_opening(
    robot: Robot, before: Float[np.ndarray, " nq"], after: Float[np.ndarray, " nq"]
) -> tuple[str, str]:
    """Return which loops open between two positions, and what keeps them closed: joints to lock where they were.

    Of a loop that opens, that joint is named whose motion the row that opened most forbids most.
    """
    rows, errors = robot.mobility.rows, np.abs(constraint_residual(robot, after))
    pushes = np.abs(constraint_jacobian(robot, after) * robot.manifold.difference(before, after))
    single = [joint for joint in robot.joints if joint.type.nq == joint.type.nv == 1]
    worst: dict[str, int] = {}
    for i in np.argsort(-errors):
        if errors[i] > SHARE * errors.max():
            worst.setdefault(rows[i].of, int(i))
    locked: dict[str, float] = {}
    for i in worst.values():
        moving = [joint.name for joint in single if pushes[i, robot.v_slices[joint.name]][0] > 0.0]
        if moving:
            joint = max(moving, key=lambda name: pushes[i, robot.v_slices[name]][0])
            locked[joint] = round(float(before[robot.q_slices[joint]][0]), 12)
    what = ", ".join(f"{of!r} ({rows[i].component})" for of, i in worst.items())
    return f" of {what}", f"lock the joints that they hold, as sg.load(..., lock={locked}) does"
