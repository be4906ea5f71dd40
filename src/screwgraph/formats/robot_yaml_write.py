"""A robot in our own YAML format; what has its default value is left out."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.formats import joint_types
from screwgraph.formats.bodies import finite_limits, is_writable, keeps_digits, written
from screwgraph.formats.body_yaml import AXES, COEFFICIENTS
from screwgraph.formats.robot_yaml import DEFAULT_BASE
from screwgraph.robot import STANDARD_GRAVITY, Joint, Robot
from screwgraph.spatial import SpatialInertia, rotation, so3, translation

_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def yaml_text(robot: Robot) -> str:
    """Write a robot in our YAML format; numbers keep their digits. Raises ModelError for an unregistered joint type."""
    import yaml

    content: dict[str, Any] = {"name": robot.name}
    if robot.gravity != STANDARD_GRAVITY:
        content["gravity"] = _floats(robot.gravity)
    base = robot.links[0]
    if not base.inertia.is_zero:
        content["base"] = {"link": base.name, **_inertia(base.inertia)}
    elif base.name != DEFAULT_BASE:
        content["base"] = base.name
    content["bodies"] = [
        _body(joint, previous.name, link.inertia)
        for joint, previous, link in zip(robot.joints, robot.links[:-1], robot.links[1:], strict=True)
    ]
    if robot.frames:
        content["frames"] = [{"frame": f.name, "link": f.link, **_pose(f.T_lf)} for f in robot.frames]
    return yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)


def _body(joint: Joint, previous: str, inertia: SpatialInertia) -> dict[str, Any]:
    body: dict[str, Any] = {"link": joint.child}
    if joint.parent != previous:
        body["parent"] = joint.parent
    if joint.name != f"{joint.child}_joint":
        body["joint"] = joint.name
    kind, settings = joint_types.describe(joint.type)
    if kind != "revolute":
        body["type"] = kind
    defaults = joint_types.settings_of(kind)
    body |= {key: _setting(value) for key, value in settings.items() if value != defaults[key]}
    body |= _pose(joint.origin)
    body |= _inertia(inertia)
    limits = finite_limits(joint.limits)
    if limits:
        body["limits"] = limits
    body |= {key: float(getattr(joint, key)) for key in COEFFICIENTS if getattr(joint, key)}
    if joint.mimic:
        body["mimic"] = {
            "joint": joint.mimic.joint,
            "multiplier": float(joint.mimic.multiplier),
            "offset": float(joint.mimic.offset),
        }
    return body


def _inertia(inertia: SpatialInertia) -> dict[str, Any]:
    """The ten parameters where mass and centre of mass cannot say it: regrouped links may have any."""
    if not (is_writable(inertia) and keeps_digits(inertia)):
        six = [inertia.about_origin[entry] for entry in _ENTRIES]
        return {"inertial": _floats([inertia.mass, *inertia.first_moment, *six])}
    mass, com, about_com = written(inertia)
    entries: dict[str, Any] = {}
    if mass:
        entries["mass"] = float(mass)
    if com.any():
        entries["com"] = _floats(com)
    six = _floats(about_com[entry] for entry in _ENTRIES)
    if any(six):
        entries["inertia"] = six if any(six[3:]) else six[:3]
    return entries


def _pose(T: Float[np.ndarray, "4 4"]) -> dict[str, Any]:
    pose = {"at": _floats(translation(T)), "rpy": _floats(so3.to_rpy(rotation(T)))}
    return {key: value for key, value in pose.items() if any(value)}


def _setting(value: Any) -> Any:
    if not isinstance(value, tuple):
        return float(value)
    return next((name for name, axis in AXES.items() if axis == value), _floats(value))


def _floats(values: Iterable[Any]) -> list[float]:
    return [float(value) for value in values]
