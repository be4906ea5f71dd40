"""Dampers that are fast beside the time for which efforts are held: they act with the velocity at the end of it.

M (v+ - v) / dt + h + D v+ = tau, so that dt D is an armature: linearly implicit Euler's method, as `implicit_forces` of
simulations has it; Hairer & Wanner (1996), "Solving Ordinary Differential Equations II", section IV.7.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.dynamics import mass_matrix
from screwgraph.model.robot import Robot


def damp_implicitly(
    robot: Robot, dt: float, near: Float[np.ndarray, " nq"] | None = None, *, part: float = 1.0
) -> Robot:
    """Return a robot whose stiff dampers have armatures of dt times their damping; one without them is itself.

    A damper is stiff where dt D is larger than a part of what its joint moves, all others free to follow, at the
    position `near`, by default the neutral one; by default where a step would turn its velocity around. All other
    dampers act with the velocity at the beginning of a step.
    """
    if not any(joint.damping for joint in robot.joints):
        return robot
    M = mass_matrix(robot)(robot.neutral() if near is None else near)
    with np.errstate(divide="ignore"):
        moved = 1.0 / np.diag(np.linalg.pinv(M))
    joints = tuple(
        replace(joint, armature=joint.armature + dt * joint.damping)
        if joint.damping and np.any(dt * joint.damping > part * moved[robot.v_slices[joint.name]])
        else joint
        for joint in robot.joints
    )
    return replace(robot, joints=joints) if joints != robot.joints else robot
