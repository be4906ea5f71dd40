"""One body of the robot YAML format: its joint, its inertia, its place."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import joint_types
from screwgraph.model.formats.diagnostics import suggest_name
from screwgraph.model.formats.mimics import Mimic
from screwgraph.model.formats.robot_yaml.keys import BODY, COEFFICIENTS, LIMITS, MASS, MIMIC, SETTINGS
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.robot import JOINT_TYPES, Joint, JointType, Limits
from screwgraph.spatial import SpatialInertia, from_xyz_rpy

AXES = {
    "x": (1.0, 0.0, 0.0),
    "y": (0.0, 1.0, 0.0),
    "z": (0.0, 0.0, 1.0),
    "-x": (-1.0, 0.0, 0.0),
    "-y": (0.0, -1.0, 0.0),
    "-z": (0.0, 0.0, -1.0),
}

OTHER = Entry("a setting of the joint's type")
Entries = Mapping[str, Value]
Names = Mapping[str, float]


def read_joint(body: Value, link: str, previous: str, names: Names) -> Joint:
    """Read the joint that moves a link; `previous` is the link that it hangs on by default. Raises ModelError."""
    who = f"body {link!r}"
    joint_type, entries = read_type(body, BODY, who, names)
    return Joint(
        entries["joint"].text() if "joint" in entries else f"{link}_joint",
        joint_type,
        parent=entries["parent"].text() if "parent" in entries else previous,
        child=link,
        origin=read_pose(entries, names),
        limits=_limits(entries.get("limits"), names),
        neutral=_neutral(entries["neutral"], joint_type, who, names) if "neutral" in entries else None,
        **{key: entries[key].number(names) for key in COEFFICIENTS if key in entries},  # pyright: ignore[reportArgumentType]
    )


def read_type(value: Value, other_keys: Keys, who: str, names: Names) -> tuple[JointType, dict[str, Value]]:
    """Read a joint type, revolute by default, from an entry that may have other keys too; return both.

    Raises:
        ModelError: an unknown type or key, or settings that the type does not have or refuses.
    """
    named = value.mapping().get("type")
    kind = "revolute" if named is None else named.called(f"{who}: type").text()
    kind = joint_types.type_name(kind, who, named.at if named else value.at)
    settings = joint_types.settings_of(kind)
    _refuse_foreign_settings(value, kind, who)
    entries = value.section({**other_keys, **{key: SETTINGS.get(key, OTHER) for key in settings}}, who)
    given = {key: _setting(entries[key], settings[key], names) for key in settings if key in entries}
    axis_at = entries["axis"].at if "axis" in entries else value.at
    return joint_types.make_joint_type(kind, settings | given, who, axis_at), entries


def read_inertia(entries: Entries, who: str, names: Names) -> SpatialInertia:
    """Read mass, centre of mass and rotational inertia about it, or the ten `inertial` parameters.

    Raises:
        ModelError: a negative mass, a centre of mass without mass, or both ways of writing at once.
    """
    values = {key: entries[key].called(f"{who}: {key}") for key in MASS if key in entries}
    if "inertial" in values:
        if len(values) > 1:
            raise ModelError(
                f"{who} has 'inertial' beside {', '.join(values)}", at=values["inertial"].at, fix="keep one"
            )
        return SpatialInertia.of_parameters(values["inertial"].numbers(names, 10))
    mass = values["mass"].number(names) if "mass" in values else 0.0
    if mass < 0.0:
        raise ModelError(f"{who}: its mass is {mass:g} kg", at=values["mass"].at, why="a mass is not negative")
    if "com" in values and "mass" not in values:
        raise ModelError(f"{who} has a centre of mass", at=values["com"].at, why="it has no mass", fix="add mass:")
    com = values["com"].numbers(names, 3) if "com" in values else (0.0, 0.0, 0.0)
    six = values["inertia"].numbers(names, 3, 6) if "inertia" in values else (0.0,) * 6
    return SpatialInertia.of_body(mass, np.array(com), _symmetric(six))


def read_pose(entries: Entries, names: Names) -> Float[np.ndarray, "4 4"]:
    """Read `at` (m) and `rpy` (rad), zero by default. Raises ModelError."""
    xyz, rpy = (entries[key].numbers(names, 3) if key in entries else (0.0,) * 3 for key in ("at", "rpy"))
    return from_xyz_rpy(np.array(xyz), np.array(rpy))


def _symmetric(entries: tuple[float, ...]) -> Float[np.ndarray, "3 3"]:
    xx, yy, zz, xy, xz, yz = (*entries, 0.0, 0.0, 0.0)[:6]
    return np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _refuse_foreign_settings(body: Value, kind: str, who: str) -> None:
    own = joint_types.settings_of(kind)
    for key, value in body.mapping().items():
        owners = [name for name in JOINT_TYPES if key in joint_types.settings_of(name)]
        if owners and key not in own:
            raise ModelError(
                f"{who}: a {kind} joint has no {key!r}", at=value.at, why=f"only {', '.join(owners)} joints have one"
            )


def _setting(value: Value, default: object, names: Names) -> float | tuple[float, ...]:
    if not isinstance(default, tuple):
        return value.number(names)
    if isinstance(value.content, str):
        if value.content not in AXES:
            raise value.complaint(f"an axis is {suggest_name(value.content, AXES, 'one of')} or a list of 3 numbers")
        return AXES[value.content]
    return value.numbers(names, 3)


def _neutral(value: Value, joint_type: JointType, who: str, names: Names) -> tuple[float, ...]:
    return joint_types.neutral_position(joint_type, value.numbers(names, 7), who, value.at)


def _limits(value: Value | None, names: Names) -> Limits:
    entries = value.section(LIMITS) if value else {}
    return Limits(**{key: entry.number(names) for key, entry in entries.items()})


def read_mimic(body: Value, joint: str, names: Names) -> Mimic | None:
    """Read which joint a body's joint follows, None where it follows none. Raises ModelError."""
    value = body.mapping().get("mimic")
    if value is None:
        return None
    value = value.called(f"body {body.mapping()['link'].content!r}: mimic")
    entries = value.section(MIMIC)
    if "joint" not in entries:
        raise value.complaint("it must name the joint that it follows, {joint: ...}")
    factors = {key: entries[key].number(names) for key in ("multiplier", "offset") if key in entries}
    return Mimic(joint, entries["joint"].text(), factors.get("multiplier", 1.0), factors.get("offset", 0.0), body.at)
