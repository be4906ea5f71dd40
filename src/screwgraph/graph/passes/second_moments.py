"""Second moments: links whose mass lies, in effect, in a plane normal to their joint's axis."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np

from screwgraph.graph.newton_euler import has_products
from screwgraph.graph.passes.inertial_regrouping import move_to_parents, turns_about_z
from screwgraph.model.robot import Joint, Robot
from screwgraph.spatial import SpatialInertia


def flatten_second_moments(robot: Robot, keep: Collection[str] = ()) -> Robot:
    """Move the second moment of mass along a revolute joint's axis (z) to the parent, tips first.

    Mass on the axis is the same at every angle. Inverse dynamics of a link with products of inertia takes fewer
    operations by second moments, the integrals of r r^T dm, than by moments of inertia (Balafoutis & Patel, 1989).
    Links without products of inertia, and joints about other axes, are left alone: run `regroup_inertia` before.
    """
    return move_to_parents(robot, _along_axis, keep)


def _along_axis(joint: Joint, inertia: SpatialInertia) -> SpatialInertia | None:
    J = inertia.about_origin
    if not (turns_about_z(joint) and has_products(J)):
        return None
    along = (J[0, 0] + J[1, 1] - J[2, 2]) / 2.0
    return SpatialInertia(about_origin=np.diag([along, along, 0.0]))
