"""Functions that change a robot; each returns a new one."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from numbers import Real

import numpy as np

from screwgraph.errors import InputError
from screwgraph.robot.joints import Fixed, Floating
from screwgraph.robot.parts import Frame, Joint, Limits, Link
from screwgraph.robot.robot import Robot
from screwgraph.robot.topology import tree

FLOATING_BASE = "floating_base"


def merge_fixed(robot: Robot) -> Robot:
    """Weld links that fixed joints join: inertias add exactly, the vanished links stay as frames.

    A joint that mimics a fixed one has nothing to follow; it no longer does, which is remarked upon.
    """
    frame_of = {robot.links[0].name: Frame(robot.links[0].name, robot.links[0].name, np.eye(4))}
    for joint in robot.joints:
        if isinstance(joint.type, Fixed):
            above = frame_of[joint.parent]
            frame_of[joint.child] = Frame(joint.child, above.link, above.T_lf @ joint.origin)
        else:
            frame_of[joint.child] = Frame(joint.child, joint.child, np.eye(4))
    inertia = {f.link: robot.link(f.link).inertia for f in frame_of.values()}
    for frame in frame_of.values():
        if frame.name != frame.link:
            inertia[frame.link] = inertia[frame.link] + robot.link(frame.name).inertia.moved(frame.T_lf)
    joints = [_reparented(j, frame_of[j.parent]) for j in robot.joints if not isinstance(j.type, Fixed)]
    merged = [f for f in frame_of.values() if f.name != f.link]
    kept = [Frame(f.name, frame_of[f.link].link, frame_of[f.link].T_lf @ f.T_lf) for f in robot.frames]
    links = [replace(link, inertia=inertia[link.name]) for link in robot.links if link.name in inertia]
    welded = replace(robot, links=tuple(links), joints=tuple(joints), frames=(*merged, *kept))
    return _without_dangling_mimics(welded)


def with_floating_base(robot: Robot) -> Robot:
    """Put a floating joint before the base; the new base is a massless link `world`.

    A robot that hangs on a massless base by one floating joint already has what is asked for, and stays as it is.
    """
    base = robot.links[0].name
    first = robot.children(base)
    if len(first) == 1 and isinstance(first[0].type, Floating) and robot.links[0].inertia.is_zero:
        return robot
    taken = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    world = _free_name("world", taken)
    name = _free_name(FLOATING_BASE, set(robot.joint_names))
    joint = Joint(name, Floating(), world, base)
    return replace(robot, links=(Link(world), *robot.links), joints=(joint, *robot.joints))


def lock(robot: Robot, joints: Iterable[str] | Mapping[str, float]) -> Robot:
    """Weld joints, at zero or at the positions that a mapping gives, and merge their links.

    Raises:
        InputError: no such joint, or a position for a joint with several coordinates.
    """
    at = dict(joints) if isinstance(joints, Mapping) else dict.fromkeys(_names(joints))
    locked = {name: _locked(robot.joint(name), position) for name, position in at.items()}
    return merge_fixed(replace(robot, joints=tuple(locked.get(j.name, j) for j in robot.joints)))


def without_damping(robot: Robot) -> Robot:
    """Set the viscous damping of every joint to zero."""
    return replace(robot, joints=tuple(replace(j, damping=0.0) for j in robot.joints))


def with_gravity(robot: Robot, gravity: Iterable[float]) -> Robot:
    """Set gravity (m/s^2, in the base's frame). Raises InputError unless it is three finite numbers."""
    try:
        g = np.asarray(list(gravity), dtype=float)
    except (TypeError, ValueError):
        g = np.zeros(0)
    if g.shape != (3,) or not np.isfinite(g).all():
        raise InputError(f"gravity {gravity!r} is not three finite numbers", fix="give (0, 0, -9.81), for instance")
    return replace(robot, gravity=(float(g[0]), float(g[1]), float(g[2])))


def snapped(robot: Robot, tolerance: float) -> Robot:
    """Round rotation entries of joint origins that lie within `tolerance` of 0 or +-1, and report it.

    Files write pi/2 as 1.5708; the rounded rotation is made orthogonal again.

    Raises:
        InputError: the tolerance is not within 0 and 0.01.
    """
    if not isinstance(tolerance, Real) or not 0.0 <= tolerance <= 0.01:
        raise InputError(f"snap={tolerance!r} is not a tolerance", why="it must lie within 0 and 0.01", fix="snap=1e-9")
    joints, remarks = [], []
    for joint in robot.joints:
        origin = _snapped_pose(joint.origin, tolerance)
        change = float(np.abs(origin - joint.origin).max())
        if change:
            remarks.append(f"joint {joint.name!r}: rotation snapped, entries moved by up to {change:.1e}")
        joints.append(replace(joint, origin=origin))
    return replace(robot, joints=tuple(joints), warnings=robot.warnings + tuple(remarks))


def resorted(robot: Robot) -> Robot:
    """Check and sort a robot whose parts were replaced by hand. Raises ModelError as `tree` does."""
    return tree(
        robot.name,
        robot.links,
        robot.joints,
        frames=robot.frames,
        gravity=robot.gravity,
        warnings=robot.warnings,
    )


def _without_dangling_mimics(robot: Robot) -> Robot:
    dangling = {j.name: j.mimic.joint for j in robot.joints if j.mimic and j.mimic.joint not in robot.q_slices}
    remarks = tuple(
        f"joint {follower!r} mimics {leader!r}, which does not move: it moves freely (lock it too)"
        for follower, leader in dangling.items()
    )
    joints = tuple(replace(j, mimic=None) if j.name in dangling else j for j in robot.joints)
    return replace(robot, joints=joints, warnings=robot.warnings + remarks)


def _reparented(joint: Joint, parent: Frame) -> Joint:
    return (
        joint if parent.name == parent.link else replace(joint, parent=parent.link, origin=parent.T_lf @ joint.origin)
    )


def _locked(joint: Joint, position: float | None) -> Joint:
    q = joint.type.neutral()
    if position is not None:
        if joint.type.nq != 1 or not isinstance(position, Real) or not np.isfinite(position):
            raise InputError(f"joint {joint.name!r} cannot be locked at {position!r}", why="it takes one finite number")
        q = np.array([float(position)])
    pose = joint.origin @ joint.type.transform(q)
    return replace(
        joint, type=Fixed(), origin=pose, limits=Limits(), damping=0.0, friction=0.0, armature=0.0, mimic=None
    )


def _names(joints: Iterable[str]) -> list[str]:
    if isinstance(joints, str):
        return [joints]
    if not isinstance(joints, Iterable):
        raise InputError(f"{joints!r} does not name joints", fix='lock=("joint1",) or lock={"joint1": 0.5}')
    return [_name(name) for name in joints]


def _name(name: object) -> str:
    if not isinstance(name, str):
        raise InputError(f"{name!r} is not the name of a joint", fix='lock=("joint1",) or lock={"joint1": 0.5}')
    return name


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _snapped_pose(T: np.ndarray, tolerance: float) -> np.ndarray:
    R = T[:3, :3]
    nearest = np.round(R)
    rounded = np.where(np.abs(R - nearest) <= tolerance, nearest, R)
    if (rounded == R).all():
        return T
    result = T.copy()
    result[:3, :3] = _orthogonal(rounded)
    return result


def _orthogonal(R: np.ndarray) -> np.ndarray:
    """Return the rotation nearest to R; entries that are exactly 0 or +-1 and need no change keep their digits."""
    if np.abs(R @ R.T - np.eye(3)).max() < 1e-15:
        return R
    u, _, vt = np.linalg.svd(R)
    near = u @ vt
    exact = (np.abs(R - np.round(R)) == 0.0) & (np.abs(near - R) < 1e-12)
    return np.where(exact, R, near)
