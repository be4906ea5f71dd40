"""Joint types: one file each; a new one is a new file and a line in `JOINT_TYPES`."""

from screwgraph.model.robot.joints.base import JointType
from screwgraph.model.robot.joints.fixed import Fixed
from screwgraph.model.robot.joints.floating import Floating
from screwgraph.model.robot.joints.helical import Helical
from screwgraph.model.robot.joints.planar import Planar
from screwgraph.model.robot.joints.prismatic import Prismatic
from screwgraph.model.robot.joints.revolute import Revolute
from screwgraph.model.robot.joints.spherical import Spherical
from screwgraph.model.robot.joints.universal import Universal

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
