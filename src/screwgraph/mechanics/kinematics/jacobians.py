"""Jacobians of frames and of the centre of mass, on numbers of any kind."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics.first_moments import compute_first_moments, moving_mass
from screwgraph.mechanics.kinematics.link_poses import compute_poses_from_frame, poses_in_world
from screwgraph.mechanics.kinematics.reference_frames import ALIGNED, LOCAL
from screwgraph.model.robot import Robot
from screwgraph.spatial import Array, concatenate, rotation, skew, translation


def compute_frame_jacobian(robot: Robot, name: str, q: Array, reference: str) -> Float[Array, "6 nv"]:
    """Return the screw axes of the joints that carry a frame as a reference wants them: Lynch & Park (5.11), (5.18)."""
    carried = robot.frame(name)
    if reference == LOCAL:
        poses, origin = compute_poses_from_frame(robot, carried, q), np.zeros(3)
    else:
        poses = poses_in_world(robot, q, [carried.link])
        origin = translation(poses[carried.link] @ carried.T_lf) if reference == ALIGNED else np.zeros(3)
    J = np.zeros((6, robot.nv), dtype=object)
    for joint in robot.joints_to_base(carried.link):
        T, A = poses[joint.child], joint.type.screw_axes(q[robot.q_slices[joint.name]])
        w, v = rotation(T) @ A[:3], rotation(T) @ A[3:]
        J[:, robot.v_slices[joint.name]] = concatenate(w, v + skew(translation(T) - origin) @ w)
    return J


def compute_mass_jacobian(robot: Robot, q: Array) -> Float[Array, "3 nv"]:
    """Return the derivatives of the centre of mass, in the base's axes.

    A joint moves all that it carries as one body: its column is R (m v + a x h) / M, with mass and first moment of what
    it carries, in the child's frame, and the joint's screw axis (a, v).
    """
    mass, poses, carried = moving_mass(robot), poses_in_world(robot, q), compute_first_moments(robot, q)
    J = np.zeros((3, robot.nv), dtype=object)
    for joint in robot.joints:
        A, own = joint.type.screw_axes(q[robot.q_slices[joint.name]]), carried[joint.child]
        h, m = own.first * (1.0 / mass), own.mass / mass
        J[:, robot.v_slices[joint.name]] = rotation(poses[joint.child]) @ (m * A[3:] - skew(h) @ A[:3])
    return J
