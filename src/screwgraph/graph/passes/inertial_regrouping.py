"""Inertial regrouping: what a joint cannot move against its parent is made part of the parent."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace

import numpy as np

from screwgraph.graph.passes.rounding import snap_inertia
from screwgraph.model.robot import Joint, Link, Robot
from screwgraph.spatial import SpatialInertia

Z = np.array([0.0, 0.0, 1.0])


def regroup_inertia(robot: Robot, keep: Collection[str] = ()) -> Robot:
    """Move the inertia that is invariant under a joint's motion to the parent, tips first.

    For a joint about z: mass, its moment along z, and I_yy about x and y; for a joint along z: the rotational inertia
    (Khalil & Kleinfinger, 1987). Joint torques and accelerations do not change, wrenches inside do, and masses may
    become negative or vanish. Joints about other axes are left alone: run `canonical_frames` before.
    """
    return move_to_parents(robot, _invariant, keep)


def move_to_parents(
    robot: Robot, part: Callable[[Joint, SpatialInertia], SpatialInertia | None], keep: Collection[str]
) -> Robot:
    """Move a part of each link's inertia, one that its joint does not move, to its parent, tips first.

    Links in `keep` keep theirs.
    """
    inertia = {link.name: link.inertia for link in robot.links}
    for joint in reversed(robot.joints):
        moved = None if joint.child in keep else part(joint, inertia[joint.child])
        if moved is not None:
            inertia[joint.child] = inertia[joint.child] + _negative(moved)
            inertia[joint.parent] = inertia[joint.parent] + moved.moved(joint.origin)
    return replace(robot, links=tuple(Link(link.name, snap_inertia(inertia[link.name])) for link in robot.links))


def _invariant(joint: Joint, inertia: SpatialInertia) -> SpatialInertia | None:
    """Return the part of the child's inertia that is the same in the joint's frame at every q."""
    if turns_about_z(joint):
        across = inertia.about_origin[1, 1]
        along_z = np.array([0.0, 0.0, inertia.first_moment[2]])
        return SpatialInertia(inertia.mass, along_z, np.diag([across, across, 0.0]))
    if joint.sliding_axis is not None:
        return SpatialInertia(0.0, np.zeros(3), inertia.about_origin)
    return None


def turns_about_z(joint: Joint) -> bool:
    """Whether the joint turns about z through the child's origin, and does nothing else."""
    axis = joint.turning_axis
    return axis is not None and bool((axis == Z).all())


def _negative(inertia: SpatialInertia) -> SpatialInertia:
    return SpatialInertia(-inertia.mass, -inertia.first_moment, -inertia.about_origin)
