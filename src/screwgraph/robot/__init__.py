"""The robot model: links, joints, frames, and functions that return changed robots."""

from screwgraph.robot.check import implausible, massless_links
from screwgraph.robot.edit import (
    lock,
    merge_fixed,
    resorted,
    snapped,
    with_floating_base,
    with_gravity,
    without_damping,
)
from screwgraph.robot.joints import JOINT_TYPES, JointType
from screwgraph.robot.parts import Frame, Joint, Limits, Link, Mimic
from screwgraph.robot.robot import STANDARD_GRAVITY, Robot, unknown
from screwgraph.robot.topology import tree

__all__ = [
    "JOINT_TYPES",
    "STANDARD_GRAVITY",
    "Frame",
    "Joint",
    "JointType",
    "Limits",
    "Link",
    "Mimic",
    "Robot",
    "implausible",
    "lock",
    "massless_links",
    "merge_fixed",
    "resorted",
    "snapped",
    "tree",
    "unknown",
    "with_floating_base",
    "with_gravity",
    "without_damping",
]
