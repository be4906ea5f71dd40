"""Links of SDF: their inertia."""

from __future__ import annotations

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.formats.sdf_scope import SdfPart
from screwgraph.model.formats.sdf_values import attribute_flag, child_of, flag_in, number_in, pose_of
from screwgraph.model.formats.xml import locate_element
from screwgraph.spatial import SpatialInertia, rotation, translation


def read_inertia(item: SdfPart, warnings: Warnings) -> SpatialInertia:
    """Read the inertia of a <link> in the frame that the file gives it. Raises ModelError."""
    element, file, who = item.element, item.scope.file, f"link {item.name!r}"
    at, inertial = locate_element(element, file), child_of(element, "inertial")
    if not flag_in(element, "gravity", who, file, True):
        warnings.add(f"{who}: <gravity> is off", at=at, why="gravity acts on every link all the same")
    if inertial is None:
        warnings.add(f"{who} has no <inertial>", at=at, why="SDF gives it 1 kg and 1 kg m^2 about each axis")
    elif attribute_flag(inertial, "auto", who, file):
        raise ModelError(
            f"{who}: its inertia is to be computed from its shapes",
            at=locate_element(inertial, file),
            why="shapes are not read",
            fix="write mass and inertia, and remove auto",
        )
    if child_of(inertial, "fluid_added_mass") is not None:
        warnings.add(f"{who}: its added mass is not modelled", at=at)
    mass = number_in(inertial, "mass", who, file, 1.0)
    if mass < 0.0:
        raise ModelError(f"{who}: its mass is {mass:g} kg", at=at, why="a mass is not negative")
    inertia = child_of(inertial, "inertia")
    xx, yy, zz = (number_in(inertia, tag, who, file, 1.0) for tag in ("ixx", "iyy", "izz"))
    xy, xz, yz = (number_in(inertia, tag, who, file, 0.0) for tag in ("ixy", "ixz", "iyz"))
    pose = pose_of(child_of(inertial, "pose"), who, file)
    about_com = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return SpatialInertia.of_body(mass, translation(pose), about_com, rotation(pose))
