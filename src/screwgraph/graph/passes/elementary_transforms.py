"""Elementary transforms: the constant part of a joint's transform becomes a step of its own."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from screwgraph.model.robot import Joint, Link, Robot
from screwgraph.model.robot.joints import Fixed

MARK = "~"
"""Ends the names of the massless links that stand for joint frames."""


def elementary_transforms(robot: Robot, keep: Collection[str] = ()) -> Robot:
    """Put a massless link between a link and each joint on it, welded on by the joint's constant transform.

    Elimination then applies the two transforms one after the other, each sparse, instead of multiplying them out.
    Coordinates, names and inertias stay as they are. A joint whose frame is its parent's keeps its place.
    """
    del keep  # no wrench of a joint changes
    links, joints = [robot.links[0]], []
    for joint in robot.joints:
        for i, step in enumerate(_steps(joint.origin)):
            name = joint.child + MARK * (i + 1)
            links.append(Link(name))
            joints.append(Joint(name, Fixed(), joint.parent, name, step))
            joint = replace(joint, parent=name, origin=np.eye(4))
        links.append(robot.link(joint.child))
        joints.append(joint)
    return replace(robot, links=tuple(links), joints=tuple(joints))


def _steps(T):
    t, R = np.eye(4).astype(T.dtype), np.eye(4).astype(T.dtype)
    t[:3, 3] = T[:3, 3]
    R[:3, :3] = T[:3, :3]
    return [x for x in (t, R) if not np.array_equal(x, np.eye(4))]
