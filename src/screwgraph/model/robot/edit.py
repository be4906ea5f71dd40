"""Functions that change a robot; each returns a new one."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from numbers import Real

import numpy as np

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.robot.joints import Floating
from screwgraph.model.robot.parts import Joint, Link
from screwgraph.model.robot.robot import Gravity, Robot
from screwgraph.model.robot.topology import tree
from screwgraph.spatial import rotation

FLOATING_BASE = "floating_base"


def with_floating_base(robot: Robot) -> Robot:
    """Put a floating joint before the base; the new base is a massless link `world`, the world of the file.

    The robot's neutral position is the pose `robot.T_wb` at which the file draws the old base, and gravity is turned
    from the old base's frame into the world's.
    A robot that one floating joint connects to a massless base already has what is asked for, and stays as it is.
    """
    base = robot.links[0].name
    first = robot.children(base)
    if len(first) == 1 and first[0].is_free and robot.links[0].inertia.is_zero:
        return robot
    taken = {link.name for link in robot.links} | {frame.name for frame in robot.frames}
    world = _free_name("world", taken)
    name = _free_name(FLOATING_BASE, set(robot.joint_names))
    independent = None if robot.independent is None else (name, *robot.independent)
    joint, gravity = Joint(name, Floating(), world, base), robot.gravity
    if (robot.T_wb != np.eye(4)).any():
        joint = replace(joint, neutral=tuple(map(float, Floating().nearest(robot.T_wb))))
        gravity = turned_gravity(robot)
    return replace(
        robot,
        links=(Link(world), *robot.links),
        joints=(joint, *robot.joints),
        gravity=gravity,
        independent=independent,
        T_wb=np.eye(4),
    )


def without_loops(robot: Robot) -> Robot:
    """Open all loops and couplings: the tree that is left, every joint of it free, without motors on loop joints."""
    tree = replace(robot, loops=(), couplings=(), independent=None)
    return replace(tree, actuators=tuple(a for a in robot.actuators if a.acts_on(tree)))


def without_damping(robot: Robot) -> Robot:
    """Set the viscous damping of every joint to zero."""
    return replace(robot, joints=tuple(replace(j, damping=0.0) for j in robot.joints))


def with_gravity(robot: Robot, gravity: Iterable[float]) -> Robot:
    """Set gravity (m/s^2, in the base's frame). Raises InputError unless it is three finite numbers."""
    try:
        g = convert_numbers(list(gravity))
    except (TypeError, ValueError):
        g = np.zeros(0)
    if g.shape != (3,) or not np.isfinite(g).all():
        raise InputError(f"gravity {gravity!r} is not three finite numbers", fix="give (0, 0, -9.81), for instance")
    return replace(robot, gravity=(float(g[0]), float(g[1]), float(g[2])))


def snap_rotations(robot: Robot, tolerance: float) -> Robot:
    """Round rotation entries of the frames of joints and loops that lie within `tolerance` of 0 or +-1, and report it.

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
    loops = [
        replace(loop, T_pf=_snapped_pose(loop.T_pf, tolerance), T_sf=_snapped_pose(loop.T_sf, tolerance))
        for loop in robot.loops
    ]
    return replace(robot, joints=tuple(joints), loops=tuple(loops), warnings=robot.warnings + tuple(remarks))


def sort_robot(robot: Robot) -> Robot:
    """Check and sort a robot whose parts were replaced by hand. Raises ModelError as `tree` does."""
    return tree(
        robot.name,
        robot.links,
        robot.joints,
        frames=robot.frames,
        gravity=robot.gravity,
        warnings=robot.warnings,
        loops=robot.loops,
        couplings=robot.couplings,
        independent=robot.independent,
        actuators=robot.actuators,
        T_wb=robot.T_wb,
    )


def turned_gravity(robot: Robot) -> Gravity:
    """Return gravity in the world's frame; digits that only turning there and back made are rounded off."""
    g = rotation(robot.T_wb) @ np.array(robot.gravity, dtype=float)
    x, y, z = np.round(g, 13 - math.ceil(math.log10(max(np.abs(g).max(), 1e-300)))) + 0.0
    return (float(x), float(y), float(z))


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
