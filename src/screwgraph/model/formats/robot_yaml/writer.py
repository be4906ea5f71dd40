"""A robot in our own YAML format; what has its default value is left out."""

from __future__ import annotations

from typing import Any

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.body_export import body_inertia_entries, finite_limits, is_writable, keeps_digits
from screwgraph.model.formats.robot_yaml.actuators import write_actuators
from screwgraph.model.formats.robot_yaml.body import COEFFICIENTS
from screwgraph.model.formats.robot_yaml.closed_chain import (
    to_floats,
    write_closed_chains,
    write_joint_type,
    write_pose,
)
from screwgraph.model.formats.robot_yaml.reader import DEFAULT_BASE, read_yaml
from screwgraph.model.formats.robot_yaml.visuals import SHAPES, visual_entries
from screwgraph.model.robot import STANDARD_GRAVITY, Joint, Link, Robot
from screwgraph.spatial import SpatialInertia

_ENTRIES = ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))


def yaml_text(robot: Robot) -> str:
    """Write a robot in our YAML format; numbers keep their digits. Raises ModelError for an unregistered joint type."""
    import yaml

    content: dict[str, Any] = {"name": robot.name}
    if robot.gravity != STANDARD_GRAVITY:
        content["gravity"] = to_floats(robot.gravity)
    base = robot.links[0]
    beyond_name = write_pose(robot.T_wb) | _inertia(base.inertia) | _shapes(base)
    if beyond_name:
        content["base"] = {"link": base.name, **beyond_name}
    elif base.name != DEFAULT_BASE:
        content["base"] = base.name
    content["bodies"] = [
        _body(joint, previous.name, link)
        for joint, previous, link in zip(robot.joints, robot.links[:-1], robot.links[1:], strict=True)
    ]
    if robot.frames:
        content["frames"] = [{"frame": f.name, "link": f.link, **write_pose(f.T_lf)} for f in robot.frames]
    content |= write_closed_chains(robot)
    if robot.actuators:
        content["actuators"] = write_actuators(robot)
    return yaml.safe_dump(content, sort_keys=False, default_flow_style=None, width=120, allow_unicode=True)


def _body(joint: Joint, previous: str, link: Link) -> dict[str, Any]:
    body: dict[str, Any] = {"link": joint.child}
    if joint.parent != previous:
        body["parent"] = joint.parent
    if joint.name != f"{joint.child}_joint":
        body["joint"] = joint.name
    body |= write_joint_type(joint.type)
    body |= write_pose(joint.origin)
    body |= _inertia(link.inertia)
    limits = finite_limits(joint.limits)
    if limits:
        body["limits"] = limits
    body |= {key: float(getattr(joint, key)) for key in COEFFICIENTS if getattr(joint, key)}
    if joint.neutral is not None:
        body["neutral"] = to_floats(joint.neutral)
    return body | _shapes(link)


def _shapes(link: Link) -> dict[str, Any]:
    lists = dict(zip(SHAPES, (link.visuals, link.collisions), strict=True))
    if not link.collisions or visual_entries(link.visuals) == visual_entries(link.collisions):
        del lists[SHAPES[1]]
    return {key: visual_entries(shapes) for key, shapes in lists.items() if shapes}


def _inertia(inertia: SpatialInertia) -> dict[str, Any]:
    """The ten parameters where mass and centre of mass cannot say it: regrouped links may have any."""
    if not (is_writable(inertia) and keeps_digits(inertia)):
        six = [inertia.about_origin[entry] for entry in _ENTRIES]
        return {"inertial": to_floats([inertia.mass, *inertia.first_moment, *six])}
    mass, com, about_com = body_inertia_entries(inertia)
    entries: dict[str, Any] = {}
    if mass:
        entries["mass"] = float(mass)
    if com.any():
        entries["com"] = to_floats(com)
    six = to_floats(about_com[entry] for entry in _ENTRIES)
    if any(six):
        entries["inertia"] = six if any(six[3:]) else six[:3]
    return entries


def to_text(robot: Robot) -> str:
    """Write a robot as our YAML. Raises ModelError for a joint of an unregistered type."""
    return yaml_text(robot)


def try_to_text(robot: Robot) -> str:
    """Return a robot as text, nothing where a joint of the user's own has no word in our format."""
    try:
        return to_text(robot)
    except ModelError:
        return ""


def from_text(text: str, file: str) -> Robot:
    """Read a robot that `to_text` wrote; `file` is what holds it, for messages. Raises ModelError."""
    return read_yaml(text.encode("utf-8"), file)
