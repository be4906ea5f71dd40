"""Motions of links in the axes of the robot's base, one joint after the other: what many contacts share.

A point in the axes of its own limb (`moving_point.py`) takes fewer operations where a limb has one or two of them, as
columns turn with each joint; from here on each contact takes one product with each joint that moves it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.kinematics.link_poses import base_pose_in_world
from screwgraph.model.robot import Frame, Joint, Robot
from screwgraph.motion.simulation.contacts.geometry.moving_point import (
    MovingPoint,
    PointMotion,
    follow_point,
    move_point,
    move_point_of_limb,
)
from screwgraph.spatial import Array, cross, rotation, translation
from screwgraph.spatial.manifolds.gliding import turning


@dataclass(frozen=True, eq=False)
class LinkMotion:
    """A link at velocities that stay: its pose, and the motion of its origin.

    `columns` are, by coordinate, a point (m), and the v and omega that a unit velocity gives the body there.
    """

    T: Float[Array, "4 4"]
    motion: PointMotion
    columns: dict[int, tuple[Array, Array, Array]]


@dataclass(frozen=True, eq=False)
class LimbMotions:
    """Points of a robot at q and velocities qd, each in the axes of its own limb, those of pairs in the base's."""

    __repr__ = one_line

    robot: Robot
    q: Any
    qd: Any

    def locate(self, frame: Frame, at: Sequence[Any], *, paired: bool) -> tuple[MovingPoint, PointMotion]:
        """Return a point of a frame, and how it moves."""
        move = move_point if paired else move_point_of_limb
        point = move(self.robot, frame, at, self.q, self.qd)
        return point, follow_point(self.robot, frame, point, self.qd)


@dataclass(frozen=True, eq=False)
class LinkMotions:
    """Links of a robot at q, and at velocities qd."""

    __repr__ = one_line

    robot: Robot
    q: Any
    qd: Any
    known: dict[str, LinkMotion] = field(default_factory=dict)

    def locate(self, frame: Frame, at: Sequence[Any], *, paired: bool) -> tuple[MovingPoint, PointMotion]:
        """Return a point of a frame, and how it moves, in the axes of the base whether `paired` or not."""
        link = self.find(frame.link)
        R = rotation(link.T)
        arm = R @ (frame.T_lf[:3, :3] @ np.array(at) + translation(frame.T_lf))
        moved = _shift(link.motion, arm)
        linear = {i: v + _cross(omega, moved.p - p) for i, (p, v, omega) in link.columns.items()}
        angular = {i: omega for i, (_, _, omega) in link.columns.items()}
        return MovingPoint(moved.p, linear, angular, R=R), moved

    def find(self, name: str) -> LinkMotion:
        """Return the motion of a link."""
        if name not in self.known:
            joints = self.robot.joints_to_base(name)
            self.known[name] = self._move_by(joints[0]) if joints else self._rest()
        return self.known[name]

    def _rest(self) -> LinkMotion:
        T, zero = base_pose_in_world(self.robot), np.zeros(3)
        return LinkMotion(T, PointMotion(translation(T), zero, zero, zero, zero), {})

    def _move_by(self, joint: Joint) -> LinkMotion:
        """Return the motion of the link behind a joint: see `follow_point`."""
        parent, robot = self.find(joint.parent), self.robot
        own, place = self.q[robot.q_slices[joint.name]], robot.v_slices[joint.name]
        T = parent.T @ joint.origin @ joint.type.transform(own)
        R, p = rotation(T), translation(T)
        before, columns = _shift(parent.motion, p - parent.motion.p), dict(parent.columns)
        v, omega, a, alpha = before.v, before.omega, before.a, before.alpha
        if joint.type.nv:
            A, rates = joint.type.screw_axes(own), self.qd[place]
            twist = joint.type.axes_rate_times(own, rates) - A @ turning(joint.type.manifold, rates)
            axes = [(R @ A[3:, k], R @ A[:3, k]) for k in range(joint.type.nv)]
            columns |= {place.start + k: (p, *pair) for k, pair in enumerate(axes)}
            moved = sum((x * pair[0] for x, pair in zip(rates, axes, strict=True)), start=np.zeros(3))
            turned = sum((x * pair[1] for x, pair in zip(rates, axes, strict=True)), start=np.zeros(3))
            a = a + R @ twist[3:] + _cross(2.0 * omega + turned, moved)
            alpha = alpha + R @ twist[:3] + _cross(omega, turned)
            v, omega = v + moved, omega + turned
        return LinkMotion(T, PointMotion(p, v, omega, a, alpha), columns)


def _shift(motion: PointMotion, arm: Array) -> PointMotion:
    """Return the motion of the point of the same body that is at p + arm."""
    swung = _cross(motion.omega, arm)
    a = motion.a + _cross(motion.alpha, arm) + _cross(motion.omega, swung)
    return PointMotion(motion.p + arm, motion.v + swung, motion.omega, a, motion.alpha)


def _cross(a: Any, b: Any) -> Array:
    return np.array(cross(a, b))
