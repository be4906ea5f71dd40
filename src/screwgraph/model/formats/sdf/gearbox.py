"""Gearboxes of SDF: couplings between the angles of two links about a reference link."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.sdf.joints import SdfJoint, read_gearbox_terms
from screwgraph.model.formats.sdf.scope import SdfParts
from screwgraph.model.formats.sdf.tree import Poses
from screwgraph.model.formats.urdf.loops import find_tree_paths
from screwgraph.model.formats.xml import locate_element
from screwgraph.model.robot import Coupling, Joint
from screwgraph.spatial import rotation

PARALLEL = 1e-6
"""How far the cosine between a gearbox's axis and a joint's may be from 1: files print few digits."""


def make_gearbox_coupling(box: SdfJoint, joints: Sequence[Joint], frames: Poses, parts: SdfParts) -> Coupling:
    """Return the coupling of a gearbox: the child's angle about axis2 + ratio * the parent's about axis = 0.

    The child's joint comes first in its terms: it follows.

    Raises:
        ModelError: angles that are not sums of positions of revolute joints about the gearbox's axes.
    """
    body, ratio = read_gearbox_terms(box, parts)
    child = _angle(box, body, box.child, 1, joints, frames)
    parent = _angle(box, body, box.parent, 0, joints, frames)
    names = dict.fromkeys([*child, *parent])
    return Coupling(box.name, {name: child.get(name, 0.0) + ratio * parent.get(name, 0.0) for name in names})


def _angle(box: SdfJoint, body: str, link: str, axis: int, joints: Sequence[Joint], frames: Poses) -> dict[str, float]:
    """Return the coefficients with which joints turn a link relative to a body, about an axis of the gearbox."""
    paths = find_tree_paths(joints, body, link)
    if paths is None:
        raise _make_gearbox_error(box, f"no joints lead from {body!r} to {link!r}")
    direction = rotation(box.T_wj) @ np.array(box.axes[axis])
    terms = {}
    for sign, path in zip((-1.0, 1.0), paths, strict=True):
        for joint in path:
            if joint.is_fixed:
                continue
            cosine = _cosine(joint, frames, direction)
            if abs(abs(cosine) - 1.0) > PARALLEL:
                raise _make_gearbox_error(box, f"joint {joint.name!r} on the way does not turn about its axis")
            terms[joint.name] = sign * float(np.sign(cosine))
    return terms


def _cosine(joint: Joint, frames: Poses, direction: np.ndarray) -> float:
    if joint.turning_axis is None:
        return 0.0
    axis = rotation(frames[joint.child]) @ joint.turning_axis
    return float(axis @ direction / max(float(np.linalg.norm(direction)), 1e-300))


def _make_gearbox_error(box: SdfJoint, why: str) -> ModelError:
    at = locate_element(box.item.element, box.item.scope.file)
    return ModelError(f"gearbox {box.name!r} ties no two angles of joints", at=at, why=why)
