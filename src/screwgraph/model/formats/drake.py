"""Drake's additions to URDF and SDF: those that mean what ours do become these, others are named in warnings."""

from __future__ import annotations

from collections.abc import Iterator

from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.formats.xml import Element, locate_element

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


def adopt_drake(root: Element, file: str, warnings: Warnings) -> None:
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
