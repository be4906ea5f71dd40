"""Drake's additions to URDF and SDF: those that mean what ours do become these, others are named in warnings."""

from __future__ import annotations

import math
from collections.abc import Iterator

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.diagnostics import Warnings, quote_text
from screwgraph.model.formats.xml import Element, children, locate_element, read_number, read_vector, required_attribute

CONTACTS_AND_PICTURES = (
    "accepting_renderer", "capsule", "collision_filter_group", "compliant_hydroelastic", "declare_convex",
    "diffuse_map", "ellipsoid", "hunt_crossley_dissipation", "hydroelastic_margin", "hydroelastic_modulus",
    "ignored_collision_filter_group", "illustration_properties", "member", "member_group", "mesh_resolution_hint",
    "mu_dynamic", "mu_static", "perception_properties", "point_contact_stiffness", "proximity_properties",
    "relaxation_time", "rigid_hydroelastic", "visual",
)  # fmt: skip
"""Additions that equations of motion do not have."""

IN_JOINTS = ("rotor_inertia", "gear_ratio", "parent", "child")
"""Elements whose texts mean what the prefix-free ones do."""

TYPES = {
    "ball": "spherical",
    "planar": "planar",
    "screw": "helical",
    "universal": "universal",
    "quaternion_floating": "floating",
    "rpy_floating": "floating",
    "floating": "floating",
    "fixed": "fixed",
    "continuous": "continuous",
    "revolute": "revolute",
    "prismatic": "prismatic",
}
"""Types of <drake:joint>, and ours."""

AXES = {"planar": {"axis": "0 0 1"}, "universal": {"axis": "1 0 0", "axis2": "0 1 0"}}
"""Axes that types have in the joint's frame, whatever <axis> says."""


def drake_name(tag: object) -> str:
    """Return the name of one of Drake's elements or attributes without its prefix, empty for all others."""
    prefix, mark, name = str(tag).rpartition("}" if "}" in str(tag) else ":")
    return name if mark and "drake" in prefix else ""


def drake_children(element: Element, name: str) -> Iterator[Element]:
    """Iterate over Drake's children of that name."""
    return (child for child in element if drake_name(child.tag) == name)


def add_element(parent: Element, tag: str, text: str = "", **attributes: str) -> Element:
    """Add an element with a text and attributes, and return it; it stands where its parent does."""
    import lxml.etree as etree

    element = etree.SubElement(parent, tag, attributes)
    element.text, element.sourceline = text, parent.sourceline
    return element


def remark_on_drake(root: Element, file: str, warnings: Warnings) -> None:
    """Warn of Drake's elements and attributes that are left, of each kind once."""
    said = {"", *CONTACTS_AND_PICTURES}
    for element in root.iter():
        inside = drake_name(element.getparent().tag) if element is not root else ""
        for name in (drake_name(element.tag), *(drake_name(key) for key in element.attrib)):
            if name not in said and not inside:
                said.add(name)
                warnings.add(f"<drake:{name}> is not modelled", at=locate_element(element, file))


def adopt_sdf(root: Element, file: str, warnings: Warnings) -> None:
    """Turn Drake's elements of an SDF document into those that are read; warn of what is left."""
    for element in list(root.iter()):
        if drake_name(element.tag) == "joint":
            element.tag = "joint"
            element.set("type", f"drake:{element.get('type', '').strip()}")
        if element.tag == "joint":
            for child in list(element):
                _adopt(child, element, file, warnings)
    remark_on_drake(root, file, warnings)


def _adopt(child: Element, joint: Element, file: str, warnings: Warnings) -> None:
    name = drake_name(child.tag)
    if name in IN_JOINTS:
        child.tag = name
    elif name == "mimic":
        child.tag = "mimic"
        for key in ("multiplier", "offset"):
            if child.get(key) is not None:
                add_element(child, key, child.attrib.pop(key))
    elif name == "damping":
        words = (child.text or "").split()
        if len(set(words)) > 1:
            warnings.add(
                f"joint {joint.get('name')!r}: its coordinates have different damping",
                at=locate_element(child, file),
                why="all get the first",
            )
        add_element(add_element(add_element(joint, "axis"), "dynamics"), "damping", words[0] if words else "0")
        joint.remove(child)


def adopt_urdf(root: Element, file: str, warnings: Warnings) -> None:
    """Turn Drake's elements of a <robot> into those that are read; warn of what is left. Raises ModelError."""
    for element in list(drake_children(root, "joint")):
        _adopt_joint(element, file, warnings)
    for number, element in enumerate(list(drake_children(root, "ball_constraint"))):
        _adopt_ball(element, f"ball_constraint{number or ''}", file)
    _adopt_rotors(root, file, warnings)
    remark_on_drake(root, file, warnings)


def _adopt_joint(element: Element, file: str, warnings: Warnings) -> None:
    who = f"joint {element.get('name', '')!r}"
    kind = required_attribute(element, "type", who, file).strip()
    if kind not in TYPES:
        raise ModelError(
            f"{who}: <drake:joint> has the type {quote_text(kind)}",
            at=locate_element(element, file),
            why=f"read are {', '.join(TYPES)}",
        )
    element.tag = "joint"
    element.set("type", TYPES[kind])
    for tag, xyz in AXES.get(kind, {}).items():
        for old in list(children(element, tag)):
            element.remove(old)
        add_element(element, tag, xyz=xyz)
    for pitch in list(drake_children(element, "screw_thread_pitch")):
        metres = read_number(pitch, "value", who, file)
        axis = next(children(element, "axis"), None)
        axis = add_element(element, "axis", xyz="1 0 0") if axis is None else axis
        axis.set("pitch", repr(metres / (2.0 * math.pi)))
        element.remove(pitch)
    for dynamics in children(element, "dynamics"):
        words = dynamics.get("damping", "").split()
        if len(words) > 1:
            if len(set(words)) > 1:
                warnings.add(
                    f"{who}: its coordinates have different damping",
                    at=locate_element(dynamics, file),
                    why="all get the first",
                )
            dynamics.set("damping", words[0])


def _adopt_ball(element: Element, name: str, file: str) -> None:
    """Make a ball constraint a loop."""
    parts = {drake_name(child.tag).removeprefix("ball_constraint_"): child for child in element}
    missing = [key for key in ("body_A", "body_B", "p_AP", "p_BQ") if key not in parts]
    if missing:
        raise ModelError(
            f"<drake:ball_constraint> has no <drake:ball_constraint_{missing[0]}>", at=locate_element(element, file)
        )
    ends = [
        (
            required_attribute(parts[body], "name", name, file),
            read_vector(parts[point], "value", name, file),
        )
        for body, point in (("body_A", "p_AP"), ("body_B", "p_BQ"))
    ]
    loop = add_element(element.getparent(), "loop", name=name, type="spherical")
    loop.sourceline = element.sourceline
    for role, (link, p) in zip(("predecessor", "successor"), ends, strict=True):
        add_element(add_element(loop, role, link=link), "origin", xyz=" ".join(map(repr, p)))
    element.getparent().remove(element)


def _adopt_rotors(root: Element, file: str, warnings: Warnings) -> None:
    """Add the inertias that actuators have at their joints, rotor inertia * gear ratio^2, to the joints' armatures."""
    joints = {joint.get("name"): joint for joint in children(root, "joint")}
    for name, actuator in _actuators(root):
        rotor, ratio = (_value(actuator, key, file, default) for key, default in _ROTOR)
        if name not in joints and rotor:
            warnings.add(
                f"<drake:rotor_inertia> is of a joint {name!r}", at=locate_element(actuator, file), why="there is none"
            )
        elif rotor:
            dynamics = next(children(joints[name], "dynamics"), None)
            dynamics = add_element(joints[name], "dynamics") if dynamics is None else dynamics
            before = read_number(dynamics, "armature", f"joint {name!r}", file, 0.0)
            dynamics.set("armature", repr(before + rotor * ratio**2))
    for _, actuator in _actuators(root):
        for key, _ in _ROTOR:
            for child in list(drake_children(actuator, key)):
                actuator.remove(child)


_ROTOR = (("rotor_inertia", 0.0), ("gear_ratio", 1.0))


def _actuators(root: Element) -> Iterator[tuple[str, Element]]:
    """Iterate over actuators, each with the name of its joint: in transmissions, or in joints."""
    for transmission in children(root, "transmission"):
        driven = next(children(transmission, "joint"), None)
        for actuator in children(transmission, "actuator"):
            yield ("" if driven is None else driven.get("name", "")), actuator
    for joint in children(root, "joint"):
        for actuator in children(joint, "actuator"):
            yield joint.get("name", ""), actuator


def _value(actuator: Element, key: str, file: str, default: float) -> float:
    element = next(drake_children(actuator, key), None)
    return default if element is None else read_number(element, "value", f"actuator {actuator.get('name')!r}", file)
