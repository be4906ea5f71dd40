"""Misspelt elements and attributes of URDF: they are passed over like other programs' own, and change the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from difflib import get_close_matches

from screwgraph.formats.diagnostics import Warnings, shown
from screwgraph.formats.xml import Element, place

_SIMILAR = 0.6
_POSE = ("xyz", "rpy")
_AXIS = ("xyz", "pitch")

CHILDREN: Mapping[str, tuple[str, ...]] = {
    "robot": ("link", "joint", "gravity", "loop", "coupling", "material", "transmission", "gazebo", "sensor"),
    "link": ("inertial", "visual", "collision", "collision_checking", "self_collision_checking", "contact", "sensor"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "axis2", "limit", "dynamics", "mimic", "calibration"),
    "loop": ("predecessor", "successor", "axis", "axis2"),
    "coupling": ("predecessor", "successor", "ratio", "term", "offset"),
    "predecessor": ("origin",),
    "successor": ("origin",),
}
"""What is read in an element, and what other programs read there."""
ATTRIBUTES: Mapping[str, tuple[str, ...]] = {
    "robot": ("name", "version"),
    "link": ("name", "type"),
    "joint": ("name", "type", "independent"),
    "origin": _POSE,
    "mass": ("value",),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "parent": ("link",),
    "child": ("link",),
    "predecessor": ("link",),
    "successor": ("link",),
    "axis": _AXIS,
    "axis2": _AXIS,
    "limit": ("lower", "upper", "velocity", "effort"),
    "dynamics": ("damping", "friction", "armature"),
    "mimic": ("joint", "multiplier", "offset"),
    "gravity": ("xyz",),
    "loop": ("name", "type"),
    "coupling": ("name",),
    "ratio": ("value",),
    "term": ("joint", "coefficient"),
    "offset": ("value",),
}
"""The same of attributes; those of pictures change no motion."""


def remark_on_spelling(element: Element, file: str, warnings: Warnings) -> None:
    """Warn, with line and suggestion, of names within an element that resemble one that is read but are not read."""
    who = f"<{element.tag}>" + (f" {shown(element.get('name'))}" if element.get("name") else "")
    for key in element.attrib:
        near = _meant(key, ATTRIBUTES.get(element.tag, ()))
        if near and near not in element.attrib:
            warnings.add(f"{who}: {shown(key)} is passed over", at=place(element, file), fix=f"did you mean {near!r}?")
    for child in element.iterchildren():
        near = _meant(child.tag, CHILDREN.get(element.tag, ()))
        if near:
            warnings.add(f"{who}: <{child.tag}> is passed over", at=place(child, file), fix=f"did you mean <{near}>?")
        elif child.tag in CHILDREN.get(element.tag, ()):
            remark_on_spelling(child, file, warnings)


def _meant(name: str, known: Sequence[str]) -> str:
    if name in known or not known or "}" in name:
        return ""
    exact = [other for other in known if other.lower() == name.lower()]
    return next(iter(exact or get_close_matches(name[:60].lower(), known, n=1, cutoff=_SIMILAR)), "")
