"""Canonical frames: joints move about or along z, links are modified Denavit-Hartenberg."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.robot import Frame, Joint, Link, Robot
from screwgraph.robot.joints import Prismatic, Revolute
from screwgraph.spatial import inverse, rotation, transform

PARALLEL = 1e-9
"""Sine of the angle below which two axes count as parallel."""


def canonical_frames(robot: Robot) -> Robot:
    """Choose new frames for links, so that most entries of their transforms are 0 or 1.

    z is the axis of the link's joint, x the common normal to the axis of its first child (Khalil & Kleinfinger, 1986).
    Links of other joints keep their frames. Joint coordinates, efforts and the frames that names mean stay
    as they were; twists and wrenches of links are in the new frames. A fixed base turns gravity with it.
    """
    change = _new_frames(robot)
    links = tuple(Link(link.name, link.inertia.moved(inverse(change[link.name]))) for link in robot.links)
    joints = tuple(_moved(joint, change) for joint in robot.joints)
    named = {frame.name for frame in robot.frames}
    frames = [replace(f, T_lf=_snap(inverse(change[f.link]) @ f.T_lf)) for f in robot.frames]
    frames += [
        Frame(link.name, link.name, inverse(change[link.name])) for link in robot.links if link.name not in named
    ]
    gravity = rotation(change[robot.links[0].name]).T @ np.array(robot.gravity)
    g = (float(gravity[0]), float(gravity[1]), float(gravity[2]))
    return replace(robot, links=links, joints=joints, frames=tuple(frames), gravity=g)


def _new_frames(robot: Robot) -> Mapping[str, Float[np.ndarray, "4 4"]]:
    """Return, for each link, its new frame in its old one."""
    change = {robot.links[0].name: np.eye(4)}
    for joint in robot.joints:
        axis = _axis(joint)
        change[joint.child] = np.eye(4) if axis is None else _frame_on_axis(robot, joint, axis)
    first = robot.joints[0] if robot.joints else None
    if first is not None and _axis(first) is not None:
        change[robot.links[0].name] = first.origin @ change[first.child]
    return change


def _axis(joint: Joint) -> Float[np.ndarray, "3"] | None:
    """Return the axis, in the child's frame, of a joint that has just one; None for others."""
    return np.array(joint.type.axis) if isinstance(joint.type, (Revolute, Prismatic)) else None


def _frame_on_axis(robot: Robot, joint: Joint, z: Float[np.ndarray, "3"]) -> Float[np.ndarray, "4 4"]:
    """Return a frame whose z is the joint's axis, and whose x meets the first child's axis at a right angle."""
    lines = ((c.origin, axis) for c in robot.children(joint.child) if (axis := _axis(c)) is not None)
    origin, axis = next(lines, (None, None))
    if origin is None:
        return _frame(_some_normal(z, robot, joint), z, np.zeros(3))
    point, other = origin[:3, 3], rotation(origin) @ axis
    normal = np.cross(z, other)
    if np.linalg.norm(normal) < PARALLEL:
        foot = (point @ z) * z
        normal = point - foot
        if np.linalg.norm(normal) < PARALLEL:
            normal = _some_normal(z, robot, joint)
        return _frame(normal, z, foot)
    # The foot of the common normal on z: the point of z nearest to the line point + s other.
    cosine = z @ other
    along = (point @ z - cosine * (point @ other)) / (1.0 - cosine**2)
    return _frame(normal, z, along * z)


def _some_normal(z: np.ndarray, robot: Robot, joint: Joint) -> np.ndarray:
    """Return a direction normal to z: toward the centre of mass, else along the old axis most normal to z."""
    com = robot.link(joint.child).inertia.first_moment
    off = com - (com @ z) * z
    if np.linalg.norm(off) > 1e-9 * max(np.linalg.norm(com), 1e-12):
        return off
    x = np.eye(3)[int(np.argmin(np.abs(z)))]
    return x - (x @ z) * z


def _frame(x: np.ndarray, z: np.ndarray, origin: np.ndarray) -> Float[np.ndarray, "4 4"]:
    x = x / np.linalg.norm(x)
    return _snap(transform(np.stack([x, np.cross(z, x), z], axis=1), origin))


def _moved(joint: Joint, change: Mapping[str, np.ndarray]) -> Joint:
    kind = replace(joint.type, axis=(0.0, 0.0, 1.0)) if isinstance(joint.type, (Revolute, Prismatic)) else joint.type
    origin = inverse(change[joint.parent]) @ joint.origin @ change[joint.child]
    return replace(joint, type=kind, origin=_snap(origin))


def _snap(T: np.ndarray) -> np.ndarray:
    """Remove rounding of the products above: entries of rotations near 0 and +-1, lengths near 0."""
    R, p = T[:3, :3].copy(), T[:3, 3].copy()
    nearest = np.round(R)
    R = np.where(np.abs(R - nearest) < 1e-14, nearest, R)
    p[np.abs(p) < 1e-15 * max(1.0, np.abs(p).max())] = 0.0
    return transform(R, p)
