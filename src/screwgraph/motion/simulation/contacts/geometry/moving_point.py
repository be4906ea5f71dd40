"""A point of a body, and how joints move it: position, Jacobians by column, accelerations, on numbers of any kind."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.model.robot import Frame, Robot
from screwgraph.spatial import Array, cross, rotation, translation
from screwgraph.spatial.manifolds.gliding import turning

Pair = tuple[Array, Array]
"""Of a body: an acceleration of its point (m/s^2), and an angular one (rad/s^2)."""


@dataclass(frozen=True, eq=False)
class MovingPoint:
    """A point p (m), and what a unit velocity along each coordinate gives it: v (m/s), and omega (rad/s) its body.

    `rates` is its acceleration by the rates of joints' own twists alone, R the axes of the point's link. T is the pose
    of the axes that all these are in.
    """

    p: Float[Array, "3"]
    linear: Mapping[int, Float[Array, "3"]]
    angular: Mapping[int, Float[Array, "3"]]
    rates: Pair = (np.zeros(3), np.zeros(3))
    R: Float[Array, "3 3"] = field(default_factory=lambda: np.eye(3))
    T: Float[Array, "4 4"] = field(default_factory=lambda: np.eye(4))

    def carry(self) -> MovingPoint:
        """Return it in the axes in which T is a pose."""
        p, linear, angular, *rates = _carry(self.T, self.p, self.linear, self.angular, *self.rates)
        return MovingPoint(p, linear, angular, (rates[0], rates[1]), rotation(self.T) @ self.R)

    def at(self, arm: Float[Array, "3"]) -> Mapping[int, Float[Array, "3"]]:
        """Return the velocities of the point of the body that is at p + arm."""
        return {i: v + _cross(self.angular[i], arm) for i, v in self.linear.items()}


@dataclass(frozen=True, eq=False)
class PointMotion:
    """Motion of a point p (m) of a body at velocities that stay: v (m/s), a (m/s^2); the body's omega, alpha."""

    p: Float[Array, "3"]
    v: Float[Array, "3"]
    omega: Float[Array, "3"]
    a: Float[Array, "3"]
    alpha: Float[Array, "3"]

    def seen_from(self, other: PointMotion) -> PointMotion:
        """Return the motion as another body sees it, in axes that are those of this instant."""
        arm, turn = self.p - other.p, other.omega
        swung = _cross(turn, arm)
        v = self.v - other.v - swung
        carried = other.a + _cross(other.alpha, arm) + _cross(turn, swung)
        a = self.a - carried - 2.0 * _cross(turn, v)
        alpha = self.alpha - other.alpha - _cross(turn, self.omega)
        return PointMotion(self.p, v, self.omega - turn, a, alpha)

    def slip_rate(self, arm: Float[Array, "3"]) -> Float[Array, "3"]:
        """Return the rate (m/s^2) of the velocity at the lowest point of a ball about p, which is at p + arm."""
        return self.a + _cross(self.alpha, arm)


def move_point(
    robot: Robot, frame: Frame, at: Sequence[float], q: Float[Array, " nq"], qd: Float[Array, " nv"] | None = None
) -> MovingPoint:
    """Return a point of a frame in the axes that the robot's base has in its file."""
    return move_point_of_limb(robot, frame, at, q, qd).carry()


def move_point_of_limb(
    robot: Robot, frame: Frame, at: Sequence[float], q: Float[Array, " nq"], qd: Float[Array, " nv"] | None = None
) -> MovingPoint:
    """Return a point of a frame in the axes of the first link that moves, which are those of all limbs of a trunk.

    From the frame inwards, each joint turns the columns of those before it: Lynch & Park (5.18), column by column.
    """
    p = frame.T_lf[:3, :3] @ np.array(at) + translation(frame.T_lf)
    linear, angular = dict[int, Array](), dict[int, Array]()
    a, alpha, R, T = np.zeros(3), np.zeros(3), np.eye(3), np.eye(4)
    joints, is_within = robot.joints_to_base(frame.link), True
    first = max((i for i, joint in enumerate(joints) if joint.type.nv), default=len(joints))
    for i, joint in enumerate(joints):
        own, place = q[robot.q_slices[joint.name]], robot.v_slices[joint.name]
        A, pose, is_within = joint.type.screw_axes(own), joint.type.transform(own), i < first
        if qd is not None:
            twist = joint.type.axes_rate_times(own, qd[place]) - A @ turning(joint.type.manifold, qd[place])
            a, alpha = a + twist[3:] + _cross(twist[:3], p), alpha + twist[:3]
        # The axis of a joint that only turns about it, or slides along it, is the same on both sides.
        is_fixed = is_within and joint.type.nv == 1 and joint.type.constant_axes
        if is_fixed:
            p, linear, angular, a, alpha = _carry(pose, p, linear, angular, a, alpha)
        for k in range(joint.type.nv):
            linear[place.start + k] = A[3:, k] + _cross(A[:3, k], p)
            angular[place.start + k] = A[:3, k]
        for step in (joint.origin,) if is_fixed else (pose, joint.origin):
            if is_within:
                p, linear, angular, a, alpha = _carry(step, p, linear, angular, a, alpha)
            else:
                T = step @ T
        if is_within:
            R = rotation(joint.origin) @ (rotation(pose) @ R)
    return MovingPoint(p, linear, angular, (a, alpha), R, base_pose_in_world(robot) @ T)


def follow_point(robot: Robot, frame: Frame, point: MovingPoint, qd: Float[Array, " nv"]) -> PointMotion:
    """Return the motion of a point at velocities that stay as they are, `gliding` ones in axes that do not turn.

    A joint adds (omega + omega') x v, where v is what it gives the point, and omega, omega' are the angular velocities
    of the bodies before and behind it.
    """
    v, omega = np.zeros(3), np.zeros(3)
    a, alpha = point.rates
    for joint in reversed(robot.joints_to_base(frame.link)):
        place = robot.v_slices[joint.name]
        moved, turned = np.zeros(3), np.zeros(3)
        for i in range(place.start, place.stop):
            moved, turned = moved + qd[i] * point.linear[i], turned + qd[i] * point.angular[i]
        a = a + _cross(2.0 * omega + turned, moved)
        alpha = alpha + _cross(omega, turned)
        v, omega = v + moved, omega + turned
    return PointMotion(point.p, v, omega, a, alpha)


def _carry(
    T: Float[Array, "4 4"],
    p: Array,
    linear: Mapping[int, Array],
    angular: Mapping[int, Array],
    a: Array,
    alpha: Array,
) -> tuple[Array, dict[int, Array], dict[int, Array], Array, Array]:
    R = rotation(T)
    turned = [{i: R @ column for i, column in columns.items()} for columns in (linear, angular)]
    return R @ p + translation(T), turned[0], turned[1], R @ a, R @ alpha


def _cross(a: Any, b: Any) -> Array:
    return np.array(cross(a, b))
