"""Misspelt elements and attributes of URDF and SDF: passed over like other programs' own, they change the robot."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from screwgraph.model.formats.diagnostics import Warnings, quote_text
from screwgraph.model.formats.xml import Element, locate_element

_SIMILAR = 0.6
_POSE = ("xyz", "rpy")
_AXIS = ("xyz", "pitch")


@dataclass(frozen=True)
class Vocabulary:
    """Vocabulary of an element: children and attributes that are read, and those that other programs read."""

    children: Mapping[str, tuple[str, ...]]
    attributes: Mapping[str, tuple[str, ...]]


_URDF_CHILDREN = {
    "robot": (
        "link",
        "joint",
        "gravity",
        "base_pose",
        "loop",
        "coupling",
        "material",
        "transmission",
        "gazebo",
        "sensor",
    ),
    "link": ("inertial", "visual", "collision", "collision_checking", "self_collision_checking", "contact", "sensor"),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "axis2", "limit", "dynamics", "mimic", "calibration", "neutral"),
    "loop": ("predecessor", "successor", "axis", "axis2"),
    "coupling": ("predecessor", "successor", "ratio", "term", "offset"),
    "predecessor": ("origin",),
    "successor": ("origin",),
    "visual": ("origin", "geometry", "material"),
    "collision": ("origin", "geometry", "contact_coefficients", "verbose"),
    "geometry": ("box", "cylinder", "sphere", "capsule", "mesh", "plane"),
    "material": ("color", "texture"),
}
_SOLIDS = {"box": ("size",), "cylinder": ("radius", "length"), "sphere": ("radius",), "capsule": ("radius", "length")}
_URDF_ATTRIBUTES = {
    "robot": ("name", "version"),
    "link": ("name", "type"),
    "joint": ("name", "type", "independent"),
    "origin": (*_POSE, "quat_xyzw"),
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
    "base_pose": _POSE,
    "neutral": ("q",),
    "loop": ("name", "type"),
    "coupling": ("name",),
    "ratio": ("value",),
    "term": ("joint", "coefficient"),
    "offset": ("value",),
    "visual": ("name",),
    "collision": ("name", "group"),
    "mesh": ("filename", "scale"),
    "material": ("name",),
    "color": ("rgba",),
    "texture": ("filename",),
    **_SOLIDS,
}
_POSED = ("relative_to", "frame", "degrees", "rotation_format")
_SDF_AXIS = ("xyz", "dynamics", "limit", "mimic", "initial_position", "use_parent_model_frame")
_SDF_PARTS = ("link", "joint", "frame", "model", "include", "pose", "plugin", "gripper", "sensor")
_SDF_CHILDREN = {
    "sdf": ("world", "model", "actor", "light", "include"),
    "world": (
        "model", "include", "frame", "joint", "gravity", "physics", "light", "gui", "scene", "plugin", "state", "actor",
        "road", "wind", "audio", "atmosphere", "population", "magnetic_field", "spherical_coordinates",
    ),
    "model": (*_SDF_PARTS, "static", "self_collide", "allow_auto_disable", "enable_wind"),
    "include": ("uri", "name", "pose", "static", "placement_frame", "plugin"),
    "frame": ("pose",),
    "link": (
        "pose", "inertial", "collision", "visual", "sensor", "gravity", "enable_wind", "self_collide", "kinematic",
        "must_be_base_link", "velocity_decay", "projector", "audio_sink", "audio_source", "battery", "light",
        "particle_emitter",
    ),
    "inertial": ("pose", "mass", "inertia", "density", "auto_inertia_params", "fluid_added_mass", "frame"),
    "inertia": ("ixx", "iyy", "izz", "ixy", "ixz", "iyz"),
    "joint": (
        "pose", "parent", "child", "axis", "axis2", "thread_pitch", "screw_thread_pitch", "gearbox_ratio",
        "gearbox_reference_body", "physics", "sensor", "mimic", "rotor_inertia", "gear_ratio",
    ),
    "axis": _SDF_AXIS,
    "axis2": _SDF_AXIS,
    "dynamics": ("damping", "friction", "spring_reference", "spring_stiffness"),
    "limit": ("lower", "upper", "effort", "velocity", "stiffness", "dissipation"),
    "mimic": ("multiplier", "offset", "reference"),
    "visual": (
        "pose", "geometry", "material", "cast_shadows", "laser_retro", "transparency", "visibility_flags", "meta",
        "plugin",
    ),
    "collision": ("pose", "geometry", "surface", "laser_retro", "max_contacts", "density", "auto_inertia_params"),
    "geometry": (
        "box", "cylinder", "sphere", "capsule", "mesh", "plane", "cone", "ellipsoid", "empty", "heightmap", "image",
        "polyline",
    ),
    "mesh": ("uri", "scale", "submesh", "convex_decomposition"),
    "material": (
        "ambient", "diffuse", "specular", "emissive", "shininess", "script", "shader", "lighting", "pbr",
        "double_sided", "render_order",
    ),
    **_SOLIDS,
}  # fmt: skip
_SDF_ATTRIBUTES = {
    "sdf": ("version",),
    "world": ("name",),
    "model": ("name", "canonical_link", "placement_frame"),
    "include": ("merge",),
    "frame": ("name", "attached_to"),
    "link": ("name",),
    "inertial": ("auto",),
    "joint": ("name", "type"),
    "pose": _POSED,
    "xyz": ("expressed_in",),
    "mimic": ("joint", "axis"),
}
URDF, SDF = Vocabulary(_URDF_CHILDREN, _URDF_ATTRIBUTES), Vocabulary(_SDF_CHILDREN, _SDF_ATTRIBUTES)


def warn_of_spelling(element: Element, file: str, warnings: Warnings, known: Vocabulary) -> None:
    """Warn, with line and suggestion, of names within an element that resemble one that is read but are not read."""
    who = f"<{element.tag}>" + (f" {quote_text(element.get('name'))}" if element.get("name") else "")
    for key in element.attrib:
        absent = [other for other in known.attributes.get(element.tag, ()) if other not in element.attrib]
        near = _meant(key, known.attributes.get(element.tag, ()), absent)
        if near:
            warnings.add(
                f"{who}: {quote_text(key)} is passed over",
                at=locate_element(element, file),
                fix=f"did you mean {near!r}?",
            )
    for child in element.iterchildren():
        if not isinstance(child.tag, str):
            continue
        here = known.children.get(element.tag, ())
        near = _meant(child.tag, here, here)
        if near:
            warnings.add(
                f"{who}: <{child.tag}> is passed over", at=locate_element(child, file), fix=f"did you mean <{near}>?"
            )
        elif child.tag in here or child.tag in known.attributes:
            warn_of_spelling(child, file, warnings, known)


def _meant(name: str, known: Sequence[str], candidates: Sequence[str]) -> str:
    """Return the candidate that a name resembles, if it is none of the known ones."""
    if name in known or not candidates or "}" in name:
        return ""
    exact = [other for other in candidates if other.lower() == name.lower()]
    return next(iter(exact or get_close_matches(name[:60].lower(), candidates, n=1, cutoff=_SIMILAR)), "")
