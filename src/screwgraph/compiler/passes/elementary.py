"""Elementary transforms: the constant part of a joint's transform becomes a step of its own."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from screwgraph.robot import Joint, Link, Robot
from screwgraph.robot.joints import Fixed

MARK = "~"
"""Ends the names of the massless links that stand for joint frames."""


def elementary_transforms(robot: Robot) -> Robot:
    """Put a massless link between a link and each joint on it, welded on by the joint's constant transform.

    Elimination then applies the two transforms one after the other, each sparse, instead of multiplying them out.
    Coordinates, names and inertias stay as they are. A joint whose frame is its parent's keeps its place.
    """
    links, joints = [robot.links[0]], []
    for joint in robot.joints:
        if not np.array_equal(joint.origin, np.eye(4)):
            name = joint.child + MARK
            links.append(Link(name))
            joints.append(Joint(name, Fixed(), joint.parent, name, joint.origin))
            joint = replace(joint, parent=name, origin=np.eye(4))
        links.append(robot.link(joint.child))
        joints.append(joint)
    return replace(robot, links=tuple(links), joints=tuple(joints))
