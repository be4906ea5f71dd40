"""Where links are, seen from the world or from a frame, though passes chose other frames for them."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Frame, Robot, link_poses
from screwgraph.model.robot.kinematics import Poses
from screwgraph.spatial import Array, inverse


def base_pose_in_world(robot: Robot) -> Float[np.ndarray, "4 4"]:
    """Return the pose of the base's present frame in the frame that it has in its file."""
    return inverse(robot.frame(robot.links[0].name).T_lf)


def poses_in_world(robot: Robot, q: Array, links: Iterable[str] | None = None) -> Poses:
    """Return poses of links, and of those that carry them, in the frame that the base has in its file."""
    return link_poses(robot, q, links, start=base_pose_in_world(robot))


def compute_poses_from_frame(robot: Robot, frame: Frame, q: Array) -> Poses:
    """Return the poses, in a frame's own axes, of the links that carry it; from the frame to the base."""
    poses: Poses = {frame.link: inverse(frame.T_lf)}
    for joint in robot.joints_to_base(frame.link):
        at = q[robot.q_slices[joint.name]]
        poses[joint.parent] = poses[joint.child] @ inverse(joint.type.transform(at)) @ inverse(joint.origin)
    return poses
