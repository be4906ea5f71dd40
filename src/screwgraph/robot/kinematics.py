"""Where the links are, and how joints move them: plain numbers, for analyses and for closing loops."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.robot.parts import Joint, Loop
from screwgraph.robot.robot import Robot
from screwgraph.spatial import Ad

Poses = dict[str, Float[np.ndarray, "4 4"]]
"""The pose of every link in the base's frame, by name."""


def link_poses(robot: Robot, q: Float[np.ndarray, " nq"]) -> Poses:
    """Return the pose of every link in the base's frame."""
    poses = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        poses[joint.child] = poses[joint.parent] @ joint.T_parent_child(q[robot.q_slices[joint.name]])
    return poses


def joint_screws(robot: Robot, q: Float[np.ndarray, " nq"], poses: Poses) -> Float[np.ndarray, "6 nv"]:
    """Return each velocity coordinate's screw axis in the base's frame: its joint's part of the space Jacobian.

    Lynch & Park (5.11).
    """
    screws = np.zeros((6, robot.nv))
    for joint in robot.joints:
        if joint.type.nv:
            A = joint.type.screw_axes(q[robot.q_slices[joint.name]])
            screws[:, robot.v_slices[joint.name]] = Ad(poses[joint.child]) @ A
    return screws


def carried_by(robot: Robot, link: str) -> Float[np.ndarray, " nv"]:
    """Return 1 for the velocity coordinates of the joints between the base and a link, 0 for the others."""
    moves = np.zeros(robot.nv)
    for joint in robot.joints_to_base(link):
        moves[robot.v_slices[joint.name]] = 1.0
    return moves


def joints_around(robot: Robot, loop: Loop) -> tuple[tuple[Joint, ...], tuple[Joint, ...]]:
    """Return the joints that carry a loop's predecessor only, and those that carry its successor only.

    Either way leads from the loop to the nearest common ancestor of its ends.
    """
    up, down = (robot.joints_to_base(link) for link in (loop.predecessor, loop.successor))
    while up and down and up[-1] is down[-1]:
        up, down = up[:-1], down[:-1]
    return up, down
