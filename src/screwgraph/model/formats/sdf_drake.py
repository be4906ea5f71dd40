"""Drake's additions to SDF: planar joints, inertias of rotors, and joints that follow others."""

from __future__ import annotations

from screwgraph.model.formats.diagnostics import Warnings
from screwgraph.model.formats.drake import add_element, drake_name, remark_on_drake
from screwgraph.model.formats.xml import Element, locate_element

IN_JOINTS = ("rotor_inertia", "gear_ratio", "parent", "child")
"""Elements whose texts mean what the prefix-free ones do."""


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
