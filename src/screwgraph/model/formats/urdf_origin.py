"""Poses that URDF gives by <origin>: roll, pitch and yaw, or, since version 1.1, a quaternion."""

from __future__ import annotations

import re

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Warnings, quote_text
from screwgraph.model.formats.xml import Element, find_only_child, locate_element, read_vector
from screwgraph.spatial import from_xyz_rpy, quaternions, transform

QUATERNION = "quat_xyzw"
NEWEST = (1, 2)
"""The last version of URDF that is known here."""
_FIRST, _WITH_QUATERNIONS = (1, 0), (1, 1)
_VERSION = re.compile(r"\s*([0-9]{1,9})\.([0-9]{1,9})\s*", re.ASCII)


def read_origin(
    element: Element, who: str, file: str, warnings: Warnings, tag: str = "origin"
) -> Float[np.ndarray, "4 4"]:
    """Read the pose that the <origin> of an element gives, or another element, the identity without one.

    Raises:
        ModelError: a number is missing or none, the quaternion is zero, or stands beside roll, pitch and yaw.
    """
    origin = find_only_child(element, tag, file, warnings)
    xyz, rpy = (np.array(read_vector(origin, key, who, file)) for key in ("xyz", "rpy"))
    if origin is None or origin.get(QUATERNION) is None:
        return from_xyz_rpy(xyz, rpy)
    if _version(origin) < _WITH_QUATERNIONS:
        warnings.add(
            f"{who}: {QUATERNION!r} of <{tag}> is passed over",
            at=locate_element(origin, file),
            why="URDF has it since version 1.1",
            fix='write <robot version="1.1">',
        )
        return from_xyz_rpy(xyz, rpy)
    if origin.get("rpy") is not None:
        raise ModelError(
            f"{who}: <{tag}> has 'rpy' and {QUATERNION!r}", at=locate_element(origin, file), fix="leave one of them out"
        )
    quaternion = np.array(read_vector(origin, QUATERNION, who, file, (0.0, 0.0, 0.0, 1.0)))
    largest = np.abs(quaternion).max()
    if largest == 0.0:
        raise ModelError(
            f"{who}: {QUATERNION!r} of <{tag}> is zero", at=locate_element(origin, file), why="it has no direction"
        )
    scaled = quaternion / largest
    return transform(quaternions.to_rotation(scaled / np.linalg.norm(scaled)), xyz)


def remark_on_version(root: Element, file: str, warnings: Warnings) -> None:
    """Warn of a version of URDF that is not known."""
    said = root.get("version")
    if said is None or (_VERSION.fullmatch(said) and _FIRST <= _version(root) <= NEWEST):
        return
    newest = ".".join(map(str, NEWEST))
    read_as = newest if _version(root) > NEWEST else "1.0"
    warnings.add(
        f"the version of URDF is {quote_text(said)}",
        at=locate_element(root, file),
        why=f"the file is read as {read_as}",
    )


def _version(element: Element) -> tuple[int, int]:
    """Return the version of the document that an element belongs to, the first one where none is given."""
    said = _VERSION.fullmatch(element.getroottree().getroot().get("version", ""))
    return _FIRST if said is None else (int(said[1]), int(said[2]))
