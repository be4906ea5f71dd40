"""Joints of SDF: their type with axes in the joint's frame, limits, losses, and what they follow."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.diagnostics import Warnings, quote_text, suggest_name
from screwgraph.model.formats.mimics import Mimic
from screwgraph.model.formats.sdf.scope import WORLD, SdfPart, SdfParts
from screwgraph.model.formats.sdf.values import (
    child_of,
    flag_in,
    limit_in,
    number_in,
    required_text,
    text_in,
    vector_in,
)
from screwgraph.model.formats.xml import Element, locate_element, required_attribute
from screwgraph.model.robot import JointType, Limits
from screwgraph.model.robot.joints.base import Vector3
from screwgraph.spatial import rotation

TYPES = {
    "revolute": "revolute",
    "continuous": "revolute",
    "prismatic": "prismatic",
    "screw": "helical",
    "ball": "spherical",
    "universal": "universal",
    "revolute2": "universal",
    "fixed": "fixed",
    "gearbox": "gearbox",
    "drake:planar": "planar",
}
NEAR = 1e-6
"""How far (m, rad) frames of a <drake:joint> may be apart: files print few digits."""
PITCH_OF_NONE = 1.0
"""Metres a revolution of a screw that does not say (the specification's default)."""


@dataclass(frozen=True, eq=False)
class SdfJoint:
    """A joint between two links (or the world): `T_wj` is its frame in the world's, with the robot as in the file.

    `kind` is None for a gearbox, which is not a joint; `axes` are the directions in the joint's frame.
    """

    item: SdfPart
    kind: JointType | None
    axes: tuple[Vector3, Vector3]
    parent: str
    child: str
    T_wj: Float[np.ndarray, "4 4"]
    limits: Limits
    damping: float
    friction: float
    armature: float

    @property
    def name(self) -> str:
        """Full name."""
        return self.item.name


def read_joint(item: SdfPart, parts: SdfParts, warnings: Warnings) -> SdfJoint:
    """Read a <joint>. Raises ModelError."""
    element, scope = item.element, item.scope
    who, at, file = f"joint {item.name!r}", locate_element(element, scope.file), scope.file
    kind = required_attribute(element, "type", who, file).strip()
    if kind not in TYPES:
        raise ModelError(
            f"{who}: SDF has no joint type {quote_text(kind)}",
            at=at,
            why=f"the types are {', '.join(TYPES)}",
            fix=suggest_name(kind, TYPES),
        )
    parent, child = (
        parts.link_of(scope.full_name(required_text(element, role, who, file)), at) for role in ("parent", "child")
    )
    T_wj = parts.pose(item.name, at)
    if kind.startswith("drake:"):
        apart = np.abs(T_wj - parts.pose(scope.full_name(required_text(element, "parent", who, file)), at)).max()
        if apart > NEAR:
            raise ModelError(
                f"{who}: its frames are apart by {apart:.3g} where the file draws them",
                at=at,
                why="a <drake:joint> is at zero where they coincide",
                fix="draw the child there",
            )
    axes = (_axis(element, "axis", item, parts, T_wj), _axis(element, "axis2", item, parts, T_wj))
    losses = [child_of(child_of(element, tag), "dynamics") for tag in ("axis", "axis2")]
    damping, friction = (
        [number_in(dynamics, what, who, file, 0.0) for dynamics in losses] for what in ("damping", "friction")
    )
    if TYPES[kind] == "universal" and (damping[0] != damping[1] or friction[0] != friction[1]):
        warnings.add(f"{who}: its axes have different damping or friction", at=at, why="both get that of the first")
    if any(number_in(dynamics, "spring_stiffness", who, file, 0.0) for dynamics in losses):
        warnings.add(f"{who}: its spring is not modelled", at=at)
    moving = TYPES[kind] not in ("fixed", "gearbox")
    return SdfJoint(
        item,
        None if kind == "gearbox" else _type(TYPES[kind], axes, element, who, file),
        axes,
        parent,
        child,
        T_wj,
        _limits(child_of(child_of(element, "axis"), "limit"), kind, who, file),
        damping[0] if moving else 0.0,
        friction[0] if moving else 0.0,
        _armature(element, who, file) if moving else 0.0,
    )


def _armature(element: Element, who: str, file: str) -> float:
    """Read the inertia of a rotor behind a gear, as Drake writes it."""
    rotor = number_in(element, "rotor_inertia", who, file, 0.0)
    ratio = number_in(element, "gear_ratio", who, file, 1.0)
    return rotor * ratio**2


def read_mimic(joint: SdfJoint) -> Mimic | None:
    """Read which joint a joint follows: multiplier * (leader - reference) + offset. Raises ModelError."""
    element, scope = joint.item.element, joint.item.scope
    mimic = child_of(child_of(element, "axis"), "mimic")
    mimic = child_of(element, "mimic") if mimic is None else mimic
    if mimic is None:
        return None
    who, file = f"joint {joint.name!r}", scope.file
    if mimic.get("axis", "axis") != "axis":
        raise ModelError(
            f"{who} mimics a second axis", at=locate_element(mimic, file), why="only joints of one axis can lead"
        )
    multiplier, offset, reference = (
        number_in(mimic, tag, who, file, default)
        for tag, default in (("multiplier", 1.0), ("offset", 0.0), ("reference", 0.0))
    )
    leader = scope.full_name(required_attribute(mimic, "joint", who, file).strip())
    return Mimic(joint.name, leader, multiplier, offset - multiplier * reference, locate_element(mimic, file))


def read_gearbox_terms(joint: SdfJoint, parts: SdfParts) -> tuple[str, float]:
    """Return reference link and ratio of a gearbox: angle of the child + ratio * angle of the parent = 0."""
    element, scope = joint.item.element, joint.item.scope
    who, at = f"joint {joint.name!r}", locate_element(element, scope.file)
    body = scope.full_name(required_text(element, "gearbox_reference_body", who, scope.file))
    return parts.link_of(body, at), number_in(element, "gearbox_ratio", who, scope.file, 1.0)


def round_rotation(R: Float[np.ndarray, "..."]) -> Float[np.ndarray, "..."]:
    """Round entries that are 0 or +-1 up to rounding errors."""
    nearest = np.round(R)
    return np.where(np.abs(R - nearest) < 1e-15, nearest, R) + 0.0


def _type(kind: str, axes: tuple[Vector3, Vector3], element: Element, who: str, file: str) -> JointType:
    settings = joint_types.settings_of(kind)
    given: joint_types.Settings = {
        key: value for key, value in zip(("axis", "axis2"), axes, strict=True) if key in settings
    }
    if kind == "helical":
        given["pitch"] = _pitch(element, who, file)
    return joint_types.make_joint_type(kind, given, who, locate_element(element, file))


def _pitch(element: Element, who: str, file: str) -> float:
    """Return m/rad: `screw_thread_pitch` is m a turn, the older `thread_pitch` rad/m of a left-handed thread."""
    old = number_in(element, "thread_pitch", who, file, math.inf)
    if not text_in(element, "screw_thread_pitch") and math.isfinite(old):
        if old == 0.0:
            raise ModelError(
                f"{who}: <thread_pitch> is 0", at=locate_element(element, file), why="rad/m of a screw are not zero"
            )
        return -1.0 / old
    return number_in(element, "screw_thread_pitch", who, file, PITCH_OF_NONE) / (2.0 * math.pi)


def _axis(element: Element, tag: str, item: SdfPart, parts: SdfParts, T_wj: Float[np.ndarray, "4 4"]) -> Vector3:
    """Return a direction in the joint's frame."""
    axis, scope = child_of(element, tag), item.scope
    who = f"joint {item.name!r}"
    xyz = vector_in(axis, "xyz", who, scope.file, (0.0, 0.0, 1.0))
    written = child_of(axis, "xyz")
    frame = "" if written is None else written.get("expressed_in", "").strip()
    in_model = scope.version < (1, 5) or flag_in(axis, "use_parent_model_frame", who, scope.file)
    if scope.version < (1, 7) and in_model and axis is not None:
        frame = "__model__"
    if not frame:
        return (xyz[0], xyz[1], xyz[2])
    named = WORLD if frame == WORLD else scope.full_name(frame)
    R = rotation(T_wj).T @ rotation(parts.pose(named, locate_element(element, scope.file)))
    x, y, z = round_rotation(R) @ np.array(xyz)
    return (float(x), float(y), float(z))


def _limits(element: Element | None, kind: str, who: str, file: str) -> Limits:
    if kind not in ("revolute", "continuous", "prismatic", "screw"):
        return Limits()
    lower, upper, velocity, effort = (
        limit_in(element, tag, who, file) for tag in ("lower", "upper", "velocity", "effort")
    )
    if kind == "continuous":
        lower = upper = None
    velocity, effort = (None if value is None or value < 0.0 else value for value in (velocity, effort))
    return Limits(lower, upper, velocity, effort)
