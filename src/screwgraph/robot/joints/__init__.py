"""Joint types: one file each; a new one is a new file and a line in `JOINT_TYPES`."""

from screwgraph.robot.joints.base import JointType
from screwgraph.robot.joints.fixed import Fixed
from screwgraph.robot.joints.floating import Floating
from screwgraph.robot.joints.helical import Helical
from screwgraph.robot.joints.planar import Planar
from screwgraph.robot.joints.prismatic import Prismatic
from screwgraph.robot.joints.revolute import Revolute
from screwgraph.robot.joints.spherical import Spherical
from screwgraph.robot.joints.universal import Universal

JOINT_TYPES: dict[str, type] = {
    "revolute": Revolute,
    "continuous": Revolute,
    "prismatic": Prismatic,
    "helical": Helical,
    "spherical": Spherical,
    "planar": Planar,
    "universal": Universal,
    "floating": Floating,
    "fixed": Fixed,
}

__all__ = [
    "JOINT_TYPES",
    "Fixed",
    "Floating",
    "Helical",
    "JointType",
    "Planar",
    "Prismatic",
    "Revolute",
    "Spherical",
    "Universal",
]
