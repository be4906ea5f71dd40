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

SAMPLES = 32
"""Positions that are tried beside the neutral one: what joints move depends on them."""


def damp_implicitly(robot: Robot, dt: float, *, part: float = 1.0) -> Robot:
    """Return a robot whose stiff dampers have armatures of dt times their damping; one without them is itself.

    A damper is stiff where dt D is larger than a part of what its joint moves, all others free to follow, or where
    those of several joints together take more than this part of a velocity, at one of some positions; by default where
    a step would turn velocities around. All other dampers act with the velocity at the beginning of a step, which adds
    no energy.
    """
    if not any(np.any(joint.damping) for joint in robot.joints):
        return robot
    rng, find_mass = np.random.default_rng(0), mass_matrix(robot)  # one by one, which needs no code of batches
    M = np.array([find_mass(q) for q in (robot.neutral(), *(robot.random(rng) for _ in range(SAMPLES)))])
    owners = [joint for joint in robot.joints for _ in range(joint.type.nv)]
    D = dt * np.concatenate([joint.damping * np.ones(joint.type.nv) for joint in robot.joints])
    alone = np.diagonal(_measure_shares(M, D), axis1=1, axis2=2).max(axis=0)
    stiff = {owners[i].name for i in np.flatnonzero(alone > part)}
    while True:
        is_stiff = np.array([joint.name in stiff for joint in owners])
        shares, ways = np.linalg.eigh(
            _measure_shares(M + np.diag(np.where(is_stiff, D, 0.0)), np.where(is_stiff, 0.0, D))
        )
        worst = int(shares[:, -1].argmax())
        if shares[worst, -1] <= part:
            break
        stiff.add(owners[int(np.abs(ways[worst, :, -1]).argmax())].name)
    if not stiff:
        return robot
    joints = (
        replace(joint, armature=joint.armature + dt * joint.damping) if joint.name in stiff else joint
        for joint in robot.joints
    )
    return replace(robot, joints=tuple(joints))


def _measure_shares(M: Float[np.ndarray, "N n n"], D: Float[np.ndarray, " n"]) -> Float[np.ndarray, "N n n"]:
    """Return the symmetric matrices of the parts of velocities that dampers, times dt, take: D^(1/2) M^-1 D^(1/2)."""
    root = np.sqrt(D)
    return root[:, None] * np.linalg.pinv(M, hermitian=True) * root
