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

    A damper is stiff where dt D is larger than a part of what its joint moves, all others free to follow, or where
    those of several joints together take more than this part of a velocity, at the position `near`, by default the
    neutral one; by default where a step would turn velocities around. All other dampers act with the velocity at the
    beginning of a step, which adds no energy.
    """
    if not any(np.any(joint.damping) for joint in robot.joints):
        return robot
    M = mass_matrix(robot)(robot.neutral() if near is None else near)
    owners = [joint for joint in robot.joints for _ in range(joint.type.nv)]
    D = dt * np.concatenate([joint.damping * np.ones(joint.type.nv) for joint in robot.joints])
    stiff = {owners[i].name for i in np.flatnonzero(np.diag(_measure_shares(M, D)) > part)}
    while True:
        is_stiff = np.array([joint.name in stiff for joint in owners])
        shares, ways = np.linalg.eigh(
            _measure_shares(M + np.diag(np.where(is_stiff, D, 0.0)), np.where(is_stiff, 0.0, D))
        )
        if shares[-1] <= part:
            break
        stiff.add(owners[int(np.abs(ways[:, -1]).argmax())].name)
    if not stiff:
        return robot
    joints = (
        replace(joint, armature=joint.armature + dt * joint.damping) if joint.name in stiff else joint
        for joint in robot.joints
    )
    return replace(robot, joints=tuple(joints))


def _measure_shares(M: Float[np.ndarray, "n n"], D: Float[np.ndarray, " n"]) -> Float[np.ndarray, "n n"]:
    """Return the symmetric matrix of the parts of velocities that dampers, times dt, take: D^(1/2) M^-1 D^(1/2)."""
    root = np.sqrt(D)
    return root[:, None] * np.linalg.pinv(M, hermitian=True) * root
