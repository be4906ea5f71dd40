"""A robot as URDF, with the additions that `reader` names."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.body_export import body_inertia_entries, finite_limits, is_writable
from screwgraph.model.formats.meshes.visual_shapes import write_sizes
from screwgraph.model.formats.mimics import mimic_name
from screwgraph.model.formats.urdf.loops import find_tree_paths
from screwgraph.model.formats.xml import Element
from screwgraph.model.robot import STANDARD_GRAVITY, Coupling, Frame, Joint, Link, Loop, Mesh, Robot, Visual
from screwgraph.spatial import rotation, so3, translation

UNBOUNDED = 1e308
"""Written where URDF demands a limit and there is none; read back as none."""

_MATRIX = {"ixx": (0, 0), "ixy": (0, 1), "ixz": (0, 2), "iyy": (1, 1), "iyz": (1, 2), "izz": (2, 2)}


def urdf_text(robot: Robot) -> str:
    """Write a robot as URDF; frames become massless links on fixed joints, numbers keep their digits.

    Gravity is written, in an element of our own, where it is not (0, 0, -9.81) m/s^2; the base's pose in the world, and
    where a floating joint begins, where they are not zero.

    Raises:
        ModelError: a link whose mass is negative, or zero with a first moment, a coupling that is not linear,
            actuators, or a name that XML cannot hold.
    """
    import lxml.etree as etree

    if robot.actuators:
        raise ModelError(
            f"robot {robot.name!r} has actuators", why="URDF has no words for transmissions", fix="save as .yaml"
        )
    root = etree.Element("robot")
    try:
        root.set("name", robot.name)
        if robot.gravity != STANDARD_GRAVITY:
            _add(root, "gravity", xyz=_join_by_spaces(robot.gravity))
        if (robot.T_wb != np.eye(4)).any():
            _add_origin(root, robot.T_wb, "base_pose")
        for link in robot.links:
            _add_link(root, link)
        couplings, mimics = split_couplings(robot)
        for joint in robot.joints:
            element = _add_joint(root, joint)
            if robot.independent is not None:
                element.set("independent", "true" if joint.name in robot.independent else "false")
            if joint.name in mimics:
                (_, leader, multiplier), offset = mimics[joint.name]
                _add(element, "mimic", joint=leader, **_numbers({"multiplier": multiplier, "offset": offset}))
        for loop in robot.loops:
            _add_loop(root, loop)
        for name, coupling in couplings.items():
            _add_coupling(_add(root, "coupling", name=name), coupling)
        _add_frames(root, robot)
    except ValueError as error:
        raise ModelError("a name has characters that XML cannot hold", why=str(error), fix="save as .yaml") from error
    etree.indent(root)
    return '<?xml version="1.0"?>\n' + etree.tostring(root, encoding="unicode") + "\n"


def _add_link(root: Element, link: Link) -> None:
    element = _add(root, "link", name=link.name)
    for tag, shapes in (("visual", link.visuals), ("collision", link.collisions)):
        for visual in shapes:
            _add_visual(_add(element, tag), visual)
    if link.inertia.is_zero:
        return
    _check_writable(link)
    mass, com, about_com = body_inertia_entries(link.inertia)
    inertial = _add(element, "inertial")
    _add(inertial, "origin", xyz=_join_by_spaces(com), rpy="0 0 0")
    _add(inertial, "mass", value=_number(mass))
    _add(inertial, "inertia", **{key: _number(about_com[entry]) for key, entry in _MATRIX.items()})


def _add_visual(element: Element, visual: Visual) -> None:
    """Write a shape; capsules and ellipsoids are words of ours that other programs may not know.

    Meshes are named by their paths, without file://, which MuJoCo does not open.
    """
    _add_origin(element, visual.T_bs)
    geometry = _add(element, "geometry")
    if isinstance(visual.shape, Mesh):
        _add(geometry, "mesh", filename=visual.shape.file, scale=_join_by_spaces(visual.shape.scale))
    else:
        sizes = {setting: _join_by_spaces(numbers) for setting, numbers in write_sizes(visual.shape).items()}
        _add(geometry, visual.shape.word, **sizes)
    if visual.colour and element.tag == "visual":
        rgba = [int(visual.colour[i : i + 2], 16) / 255.0 for i in (1, 3, 5)]
        _add(_add(element, "material", name=visual.colour), "color", rgba=_join_by_spaces([*rgba, 1.0]))


def _check_writable(link: Link) -> None:
    inertia = link.inertia
    if not is_writable(inertia):
        raise ModelError(
            f"link {link.name!r} has the mass {inertia.mass:g} kg and a first moment of {inertia.first_moment} kg m",
            why="URDF cannot express this",
            fix="save as .yaml",
        )


def _add_joint(root: Element, joint: Joint) -> Element:
    kind, settings = joint_types.describe_joint_type(joint.type)
    limits = finite_limits(joint.limits)
    if kind == "revolute" and not {"lower", "upper"} & set(limits):
        kind = "continuous"
    element = _add(root, "joint", name=joint.name, type=kind)
    _add(element, "parent", link=joint.parent)
    _add(element, "child", link=joint.child)
    _add_origin(element, joint.origin)
    _add_axes(element, settings)
    if kind in ("revolute", "prismatic"):  # other programs refuse these without all four
        limits = {"lower": -UNBOUNDED, "upper": UNBOUNDED, "effort": UNBOUNDED, "velocity": UNBOUNDED} | limits
    elif kind == "continuous" and limits:
        limits = {"effort": UNBOUNDED, "velocity": UNBOUNDED} | limits
    if limits:
        _add(element, "limit", **_numbers(limits))
    dynamics = {key: getattr(joint, key) for key in ("damping", "friction", "armature")}
    if any(dynamics.values()):
        _add(element, "dynamics", **_numbers({key: value for key, value in dynamics.items() if value}))
    if joint.neutral is not None:
        _add(element, "neutral", q=_join_by_spaces(joint.neutral))
    return element


def _add_loop(root: Element, loop: Loop) -> None:
    kind, settings = joint_types.describe_joint_type(loop.type)
    element = _add(root, "loop", name=loop.name, type=kind)
    for role, link, T in (("predecessor", loop.predecessor, loop.T_pf), ("successor", loop.successor, loop.T_sf)):
        _add_origin(_add(element, role, link=link), T)
    _add_axes(element, settings)


def _add_coupling(element: Element, coupling: Written | Coupling) -> None:
    if isinstance(coupling, Coupling):
        for joint, coefficient in coupling.terms.items():
            _add(element, "term", joint=joint, coefficient=_number(coefficient))
        if coupling.offset:
            _add(element, "offset", value=_number(coupling.offset))
        return
    predecessor, successor, ratio = coupling
    _add(element, "predecessor", link=predecessor)
    _add(element, "successor", link=successor)
    _add(element, "ratio", value=_number(ratio))


def _add_axes(element: Element, settings: joint_types.Settings) -> None:
    """Write the directions of a joint type; its other settings are attributes of the axis, where they say anything."""
    scalars = {key: _number(value) for key, value in joint_types.select_scalars(settings).items() if value}
    for key, vector in joint_types.select_vectors(settings).items():
        _add(element, key, xyz=_join_by_spaces(vector), **(scalars if key == "axis" else {}))


def _add_frames(root: Element, robot: Robot) -> None:
    taken = set(robot.joint_names)
    for frame in robot.frames:
        _add(root, "link", name=frame.name)
        element = _add(root, "joint", name=_joint_name(frame, taken), type="fixed")
        _add(element, "parent", link=frame.link)
        _add(element, "child", link=frame.name)
        _add_origin(element, frame.T_lf)


def _joint_name(frame: Frame, taken: set[str]) -> str:
    name = f"{frame.name}_fixed"
    while name in taken:
        name += "_"
    taken.add(name)
    return name


def _add_origin(element: Element, T: Float[np.ndarray, "4 4"], tag: str = "origin") -> None:
    _add(element, tag, xyz=_join_by_spaces(translation(T)), rpy=_join_by_spaces(so3.to_rpy(rotation(T))))


def _add(parent: Element, tag: str, **attributes: str) -> Element:
    import lxml.etree as etree

    return etree.SubElement(parent, tag, attributes)


def _numbers(values: Mapping[str, Any]) -> dict[str, str]:
    return {key: _number(value) for key, value in values.items()}


def _join_by_spaces(values: Iterable[Any]) -> str:
    return " ".join(_number(value) for value in values)


def _number(value: float) -> str:
    """Print every digit that matters, whole numbers without a point."""
    return repr(int(value)) if float(value).is_integer() and abs(value) < 1e6 else repr(float(value))


# Loops and couplings of a robot as URDF, in the dialect that `urdf_loops` reads.

Written = tuple[str, str, float]
"""Predecessor, successor and ratio of a <coupling>; or follower, leader and multiplier of a <mimic>."""


def split_couplings(robot: Robot) -> tuple[dict[str, Written | Coupling], dict[str, tuple[Written, float]]]:
    """Tell how to write each coupling: as a <coupling>, by name, or as a <mimic> with an offset, by follower.

    What is no ratio of two chains of joints, and no mimic by its name, is written term by term.

    Raises:
        ModelError: a coupling that is not linear.
    """
    couplings: dict[str, Written | Coupling] = {}
    mimics: dict[str, tuple[Written, float]] = {}
    for coupling in robot.couplings:
        if not coupling.is_linear:
            raise ModelError(
                f"coupling {coupling.name!r} says {coupling.text()}",
                why="URDF cannot express this",
                fix="save as .yaml",
            )
        mimic = _as_mimic(coupling, {follower: written[1] for follower, (written, _) in mimics.items()})
        if mimic and coupling.name == mimic_name(mimic[0][0]):
            mimics[mimic[0][0]] = mimic
        else:
            couplings[coupling.name] = _as_belt(coupling, robot) or coupling
    return couplings, mimics


def _as_mimic(coupling: Coupling, leader_of: Mapping[str, str]) -> tuple[Written, float] | None:
    """Solve a coupling of two joints for one that follows no other yet, not in a circle."""
    if len(coupling.terms) != 2:
        return None
    for follower, leader in (coupling.joints, coupling.joints[::-1]):
        above = leader
        while above in leader_of and above != follower:
            above = leader_of[above]
        if follower not in leader_of and above != follower:
            own = coupling.terms[follower]
            return (follower, leader, -coupling.terms[leader] / own), coupling.offset / own
    return None


def _as_belt(coupling: Coupling, robot: Robot) -> Written | None:
    """Find two links between which the coupling's joints lie, all of one sign on either side."""
    if coupling.offset or len(set(coupling.terms.values())) > 2:
        return None
    first = next(iter(coupling.terms.values()))
    sides = [{j for j, c in coupling.terms.items() if (c == first) == same} for same in (True, False)]
    if not sides[1]:
        return None
    second = coupling.terms[next(iter(sides[1]))]
    ends = [[j.child for j in robot.joints if j.name in side] for side in sides]
    for successor in ends[0]:
        for predecessor in ends[1]:
            paths = find_tree_paths(robot.joints, predecessor, successor)
            if paths and [{j.name for j in path} for path in paths] == sides[::-1]:
                return predecessor, successor, -second / first
    return None
