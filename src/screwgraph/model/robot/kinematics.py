"""Where links and frames are, and how they move, on every kind of number."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot.parts import Frame
from screwgraph.model.robot.quaternion_checks import check_unit
from screwgraph.model.robot.robot import Robot
from screwgraph.spatial import Ad, Array, concatenate, inverse, rotation

Poses = dict[str, Float[Array, "4 4"]]
"""The pose of every link in the base's frame, by name."""
Twists = dict[str, Float[Array, "6"]]
"""The twist of every link in its own frame, by name."""


def link_poses(
    robot: Robot,
    q: Float[Array, " nq"],
    links: Iterable[str] | None = None,
    *,
    start: Float[np.ndarray, "4 4"] | None = None,
) -> Poses:
    """Return the pose of every link in the base's frame; of some `links` and those that carry them, if given.

    `start` is the pose of the base, by default its own frame. Raises InputError where a quaternion is not unit.
    """
    check_unit(robot, q)
    wanted = _carriers(robot, links)
    poses: Poses = {robot.links[0].name: np.eye(4) if start is None else start}
    for joint in robot.joints:
        if joint.child in wanted:
            poses[joint.child] = joint.pose(poses[joint.parent], q[robot.q_slices[joint.name]])
    return poses


def frame_pose(robot: Robot, frame: Frame, q: Float[Array, " nq"]) -> Float[Array, "4 4"]:
    """Return the pose of a frame in the base's frame."""
    return link_poses(robot, q, [frame.link])[frame.link] @ frame.T_lf


def link_twists(
    robot: Robot, q: Float[Array, " nq"], qd: Float[Array, " nv"], links: Iterable[str] | None = None
) -> Twists:
    """Return the twist of every link in its own frame; of some `links` and those that carry them, if given.

    Lynch & Park (8.45). Raises InputError where a quaternion is not unit.
    """
    check_unit(robot, q)
    wanted = _carriers(robot, links)
    V: Twists = {robot.links[0].name: np.zeros(6)}
    for joint in robot.joints:
        if joint.child in wanted:
            at, moving = q[robot.q_slices[joint.name]], qd[robot.v_slices[joint.name]]
            V[joint.child] = -joint.twist_residual(np.zeros(6), V[joint.parent], at, moving)
    return V


def frame_velocity(robot: Robot, frame: Frame, q: Float[Array, " nq"], qd: Float[Array, " nv"]) -> Float[Array, "6"]:
    """Return a frame's angular velocity (rad/s), and the velocity (m/s) of its origin, in the base's axes."""
    V = link_twists(robot, q, qd, [frame.link])[frame.link]
    V, R = Ad(inverse(frame.T_lf)) @ V, rotation(frame_pose(robot, frame, q))
    return concatenate(R @ V[:3], R @ V[3:])


def _carriers(robot: Robot, links: Iterable[str] | None) -> set[str]:
    """Return links and all that carry them."""
    if links is None:
        return {joint.child for joint in robot.joints}
    return {joint.child for link in links for joint in robot.joints_to_base(link)}
