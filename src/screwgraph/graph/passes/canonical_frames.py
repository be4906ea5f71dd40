"""Canonical frames: joints move about or along z, links are modified Denavit-Hartenberg."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from screwgraph.graph.passes.axial_offset import remove_axial_offset
from screwgraph.graph.passes.frame_selection import Frames, choose_frames
from screwgraph.graph.passes.rounding import snap_inertia, snap_rotation
from screwgraph.model.robot import Frame, Joint, Link, Robot
from screwgraph.model.robot.joints import Prismatic, Revolute
from screwgraph.spatial import inverse, rotation


def canonical_frames(robot: Robot, keep: Collection[str] = ()) -> Robot:
    """Choose new frames for links, so that most entries of their transforms are 0 or 1.

    z is the axis of the link's joint; origin and x are where the work is least, mostly the foot of the common normal to
    the parent's axis, and along that to a child's (Khalil & Kleinfinger, 1986). The constant angle between two such
    frames is added to the position of a revolute joint. Links of other joints keep their frames. Joint coordinates,
    torques and the frames that names mean stay as they were; twists and wrenches of links are in the new frames.
    A fixed base turns gravity with it.
    """
    del keep  # wrenches of joints only change their axes, which frames tell
    change = choose_frames(robot)
    links = tuple(Link(a.name, snap_inertia(a.inertia.moved(inverse(change[a.name])))) for a in robot.links)
    joints = tuple(remove_axial_offset(_move_joint(joint, change)) for joint in robot.joints)
    named = {frame.name for frame in robot.frames}
    frames = [replace(f, T_lf=snap_rotation(inverse(change[f.link]) @ f.T_lf)) for f in robot.frames]
    old = {link.name: Frame(link.name, link.name, inverse(change[link.name])) for link in robot.links}
    frames += [frame for name, frame in old.items() if name not in named]
    gravity = rotation(change[robot.links[0].name]).T @ np.array(robot.gravity)
    loops = tuple(loop.moved(old) for loop in robot.loops)
    return replace(
        robot, links=links, joints=joints, frames=tuple(frames), gravity=tuple(gravity.tolist()), loops=loops
    )


def _move_joint(joint: Joint, change: Frames) -> Joint:
    kind = replace(joint.type, axis=(0.0, 0.0, 1.0)) if isinstance(joint.type, (Revolute, Prismatic)) else joint.type
    origin = inverse(change[joint.parent]) @ joint.origin @ change[joint.child]
    return replace(joint, type=kind, origin=snap_rotation(origin))
