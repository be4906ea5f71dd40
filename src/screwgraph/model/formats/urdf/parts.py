"""Links and joints of URDF, element by element.

Poses are given by <origin>: roll, pitch and yaw, or, since version 1.1, a quaternion.
"""

from __future__ import annotations

import re
from functools import partial

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.diagnostics import Warnings, parse_decimal, quote_text
from screwgraph.model.formats.meshes.visual_shapes import collect_shapes, format_colour, make_mesh, read_shape
from screwgraph.model.formats.mimics import Mimic
from screwgraph.model.formats.xml import (
    Element,
    children,
    find_only_child,
    locate_element,
    read_number,
    read_vector,
    required_attribute,
)
from screwgraph.model.robot import Joint, JointType, Limits, Link, Shape, Visual
from screwgraph.spatial import SpatialInertia, from_xyz_rpy, quaternions, rotation, transform, translation

DEFAULT_AXIS = (1.0, 0.0, 0.0)

NO_LIMIT = 1e300
"""Limits this large stand for none; files write the largest double where a limit is demanded."""

_DIAGONAL, _PRODUCTS = ("ixx", "iyy", "izz"), ("ixy", "ixz", "iyz")

QUATERNION = "quat_xyzw"

NEWEST = (1, 2)
"""The last version of URDF that is known here."""

_FIRST, _WITH_QUATERNIONS = (1, 0), (1, 1)

_VERSION = re.compile(r"\s*([0-9]{1,9})\.([0-9]{1,9})\s*", re.ASCII)


def read_link(element: Element, file: str, warnings: Warnings) -> Link:
    """Read a <link>; without <inertial> it is massless. Raises ModelError."""
    name = required_attribute(element, "name", "a link", file)
    inertial = find_only_child(element, "inertial", file, warnings)
    if inertial is None:
        seen, touched = read_shapes(element, file, warnings)
        return Link(name, visuals=seen, collisions=touched)
    who = f"link {name!r}"
    mass = required_child(inertial, "mass", who, file, warnings)
    kilograms = read_number(mass, "value", who, file)
    if kilograms < 0.0:
        raise ModelError(
            f"{who}: its mass is {kilograms:g} kg",
            at=locate_element(mass, file),
            why="a mass is not negative",
            fix="correct the value, or remove <inertial> for a massless link",
        )
    inertia = required_child(inertial, "inertia", who, file, warnings)
    pose = read_origin(inertial, who, file, warnings)
    about_com = _matrix(inertia, who, file)
    body = SpatialInertia.of_body(kilograms, translation(pose), about_com, rotation(pose))
    return Link(name, body, *read_shapes(element, file, warnings))


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


def read_joint(element: Element, file: str, warnings: Warnings) -> Joint:
    """Read a <joint>. Raises ModelError."""
    name = required_attribute(element, "name", "a joint", file)
    who = f"joint {name!r}"
    kind = joint_types.type_name(required_attribute(element, "type", who, file), who, locate_element(element, file))
    dynamics = find_only_child(element, "dynamics", file, warnings)
    joint_type = read_type(kind, element, who, file, warnings)
    return Joint(
        name,
        joint_type,
        parent=required_attribute(required_child(element, "parent", who, file, warnings), "link", who, file),
        child=required_attribute(required_child(element, "child", who, file, warnings), "link", who, file),
        origin=read_origin(element, who, file, warnings),
        limits=_limits(kind, find_only_child(element, "limit", file, warnings), who, file),
        damping=read_number(dynamics, "damping", who, file, 0.0),
        friction=read_number(dynamics, "friction", who, file, 0.0),
        armature=read_number(dynamics, "armature", who, file, 0.0),
        neutral=_neutral(find_only_child(element, "neutral", file, warnings), joint_type, who, file),
    )


def read_mimic(element: Element, joint: str, file: str, warnings: Warnings) -> Mimic | None:
    """Read the <mimic> of a <joint>, None where there is none. Raises ModelError."""
    mimic, who = find_only_child(element, "mimic", file, warnings), f"joint {joint!r}"
    if mimic is None:
        return None
    leader = required_attribute(mimic, "joint", who, file)
    factors = (read_number(mimic, key, who, file, default) for key, default in (("multiplier", 1.0), ("offset", 0.0)))
    return Mimic(joint, leader, *factors, at=locate_element(element, file))


def read_type(kind: str, element: Element, who: str, file: str, warnings: Warnings) -> joint_types.JointType:
    """Make a joint type of the elements <axis> (with its other settings as attributes) and <axis2>."""
    defaults = joint_types.settings_of(kind)
    axis = find_only_child(element, "axis", file, warnings)
    settings: joint_types.Settings = {
        key: read_number(axis, key, who, file, default) for key, default in joint_types.select_scalars(defaults).items()
    }
    for key, default in joint_types.select_vectors(defaults).items():
        if key == "axis":
            settings[key] = read_vector(axis, "xyz", who, file, DEFAULT_AXIS)
        else:
            settings[key] = read_vector(find_only_child(element, key, file, warnings), "xyz", who, file, default)
    return joint_types.make_joint_type(kind, settings, who, locate_element(element if axis is None else axis, file))


def _neutral(element: Element | None, joint_type: JointType, who: str, file: str) -> tuple[float, ...] | None:
    if element is None:
        return None
    numbers = read_vector(element, "q", who, file, (0.0,) * 6 + (1.0,))
    return joint_types.neutral_position(joint_type, numbers, who, locate_element(element, file))


def _limits(kind: str, element: Element | None, who: str, file: str) -> Limits:
    bounds = {} if kind == "continuous" else {key: _limit(element, key, who, file) for key in ("lower", "upper")}
    return Limits(
        velocity=_limit(element, "velocity", who, file), effort=_limit(element, "effort", who, file), **bounds
    )


def _limit(element: Element | None, key: str, who: str, file: str) -> float | None:
    text = None if element is None else element.get(key)
    if text is None or text.strip().lower().lstrip("+-") in ("inf", "infinity"):
        return None
    value = parse_decimal(text)
    return None if value is not None and abs(value) >= NO_LIMIT else read_number(element, key, who, file)


def _matrix(element: Element, who: str, file: str) -> Float[np.ndarray, "3 3"]:
    xx, yy, zz = (read_number(element, key, who, file) for key in _DIAGONAL)
    xy, xz, yz = (read_number(element, key, who, file, 0.0) for key in _PRODUCTS)
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def required_child(element: Element, tag: str, who: str, file: str, warnings: Warnings) -> Element:
    """Return the child element of that name. Raises ModelError where there is none."""
    found = find_only_child(element, tag, file, warnings)
    if found is None:
        raise ModelError(
            f"{who}: <{element.tag}> has no <{tag}>", at=locate_element(element, file), fix=f"add <{tag} .../>"
        )
    return found


# Shapes of URDF's <visual> and <collision>.

_WHITE = (1.0, 1.0, 1.0, 1.0)


def read_shapes(link: Element, file: str, warnings: Warnings) -> tuple[tuple[Visual, ...], tuple[Visual, ...]]:
    """Read the shapes of a <link> that are seen, and those that touch. Raises ModelError for a pose that is none."""
    who = f"link {link.get('name', '')!r}: a shape"
    posed = {
        tag: [(element, read_origin(element, who, file, warnings)) for element in children(link, tag)]
        for tag in ("visual", "collision")
    }

    def left_out(number: int, why: str) -> None:
        kinds = [shape for part in children(posed["collision"][number][0], "geometry") for shape in part]
        if kinds:
            warnings.add(f"{who} <{kinds[0].tag}> that touches is left out", at=locate_element(kinds[0], file), why=why)

    seen, touched = (
        collect_shapes((partial(_visual, element, T, file) for element, T in found), tell)
        for found, tell in zip(posed.values(), (None, left_out), strict=True)
    )
    return seen, touched


def _visual(element: Element, T_bs: Float[np.ndarray, "4 4"], file: str) -> Visual | None:
    geometry = next(children(element, "geometry"), None)
    shape = None if geometry is None else next((_shape(child, file) for child in geometry), None)
    return None if shape is None else Visual(shape, T_bs, _colour(element, file))


def _shape(element: Element, file: str) -> Shape | None:
    if element.tag == "mesh":
        return make_mesh(element.get("filename"), read_vector(element, "scale", "a mesh", file, (1.0, 1.0, 1.0)))
    return read_shape(
        element.tag,
        lambda setting: read_vector(element, setting, "a shape", file),
        lambda setting: read_number(element, setting, "a shape", file),
    )


def _colour(element: Element, file: str) -> str:
    """Return the colour of a shape: its own, or that of the material of the robot that it names."""
    material = next(children(element, "material"), None)
    if material is None:
        return ""
    named = [m for m in children(element.getroottree().getroot(), "material") if m.get("name") == material.get("name")]
    for candidate in (material, *named):
        colour = next(children(candidate, "color"), None)
        if colour is not None:
            return format_colour(read_vector(colour, "rgba", "a colour", file, _WHITE))
    return ""
