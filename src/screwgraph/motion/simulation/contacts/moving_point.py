"""A point of a body, and how joints move it: position and columns of Jacobians, on numbers of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.model.robot import Frame, Robot
from screwgraph.spatial import Array, cross, rotation, translation


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point p (m), and what a unit velocity along each coordinate gives it: v (m/s), and omega (rad/s) its body."""

    p: Float[Array, "3"]
    linear: Mapping[int, Float[Array, "3"]]
    angular: Mapping[int, Float[Array, "3"]]

    def at(self, arm: Float[Array, "3"]) -> Mapping[int, Float[Array, "3"]]:
        """Return the velocities of the point of the body that is at p + arm."""
        return {i: v + np.array(cross(self.angular[i], arm)) for i, v in self.linear.items()}


def move_point(robot: Robot, frame: Frame, at: Sequence[float], q: Float[Array, " nq"]) -> MovingPoint:
    """Return a point of a frame in the axes that the robot's base has in its file.

    From the frame inwards, each joint turns the columns of those before it: Lynch & Park (5.18), column by column.
    """
    p = frame.T_lf[:3, :3] @ np.array(at) + translation(frame.T_lf)
    linear, angular = dict[int, Array](), dict[int, Array]()
    steps = [(joint, robot.v_slices[joint.name].start) for joint in robot.joints_to_base(frame.link)]
    for joint, first in steps:
        own = q[robot.q_slices[joint.name]]
        A = joint.type.screw_axes(own)
        for k in range(joint.type.nv):
            linear[first + k] = A[3:, k] + np.array(cross(A[:3, k], p))
            angular[first + k] = A[:3, k]
        for T in (joint.type.transform(own), joint.origin):
            p, linear, angular = _carry(T, p, linear, angular)
    p, linear, angular = _carry(base_pose_in_world(robot), p, linear, angular)
    return MovingPoint(p, linear, angular)


def _carry(
    T: Float[Array, "4 4"], p: Array, linear: Mapping[int, Array], angular: Mapping[int, Array]
) -> tuple[Array, dict[int, Array], dict[int, Array]]:
    R = rotation(T)
    turned = [{i: R @ column for i, column in columns.items()} for columns in (linear, angular)]
    return R @ p + translation(T), turned[0], turned[1]
