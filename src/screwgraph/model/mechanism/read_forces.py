"""Guides, gears, springs, dampers, forces, torques and contacts from YAML."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value, suggest_name
from screwgraph.model.formats.yaml_keys import REQUIRED, Keys
from screwgraph.model.mechanism.keys import CONSTANT_ANGLE, CONTACT, DAMPER, FORCE, GEAR, SLIDER, SPRING, TORQUE
from screwgraph.model.mechanism.parts import (
    Angle,
    Body,
    ConstantAngle,
    Damper,
    Force,
    Gear,
    GroundContact,
    Point,
    Slider,
    Spring,
    Torque,
)
from screwgraph.model.mechanism.read_values import (
    Ends,
    Names,
    find_angle,
    find_line,
    find_point,
    read_components,
    read_name,
    read_number,
    read_parameter,
)

Part = TypeVar("Part")
RIGID = ("inf", ".inf")
"""The stiffness of a rigid contact."""


@dataclass(frozen=True)
class ReadContext:
    """Names that parts may refer to."""

    ends: Ends
    bodies: tuple[Body, ...]
    angles: tuple[Angle, ...]
    names: Names
    coordinates: tuple[str, ...] = ()

    @property
    def points(self) -> tuple[Point, ...]:
        """The points."""
        return self.ends.points


def read_parts(
    value: Value | None,
    kind: str,
    keys: Keys,
    read: Callable[[str, dict[str, Value], ReadContext], Part],
    around: ReadContext,
    places: dict[str, object],
) -> tuple[Part, ...]:
    """Read a list of parts of one kind, each named under that key, with those of `keys` that are required.

    Raises:
        ModelError: as `read` does; a key that is unknown or missing; two of one name.
    """
    found: dict[str, Part] = {}
    for item in value.items() if value else ():
        name = read_name(item, kind)
        who = f"{kind} {name!r}"
        entries = item.section(keys, who)
        if name in found:
            raise ModelError(f"two parts are called {who}", at=item.at, fix="rename one of them")
        for key, entry in keys.items():
            if entry.default is REQUIRED and key not in entries:
                known = ", ".join(name for name in keys if name != kind)
                raise ModelError(f"{who} has no {key}", at=item.at, fix=f"add {key}: its keys are {known}")
        entries[""] = item
        found[name] = read(name, entries, around)
        places[who] = item.at
    return tuple(found.values())


def read_slider(name: str, entries: dict[str, Value], around: ReadContext) -> Slider:
    """Read a point on a guide. Raises ModelError."""
    point, guide = find_point(entries["point"], around.points), around.ends.find_guide(entries["along"])
    if point in guide:
        raise entries["along"].complaint("the guide goes through the point that slides")
    if guide[1] < len(around.points) and around.ends.is_fixed(guide) and not any(around.ends.way(guide)):
        raise ModelError(f"slider {name!r} has a guide of length 0", at=entries[""].at)
    return Slider(name, point, guide)


def read_constant_angle(name: str, entries: dict[str, Value], around: ReadContext) -> ConstantAngle:
    """Read two lines in space and their angle. Raises ModelError."""
    if around.ends.dimension == 2:
        raise ModelError(f"constant angle {name!r} is in the plane", at=entries[""].at, fix="give one body both lines")
    items = entries["between"].items()
    if len(items) != 2:
        raise entries["between"].complaint("it must be two lines")
    first, second = (around.ends.find_line(item) for item in items)
    angle = read_number(entries["angle"], around.names) if "angle" in entries else 0.5 * math.pi
    if not 0.0 < angle < math.pi:
        raise entries["angle"].complaint("it must be between 0 and pi; parallel lines are one shared vector")
    return ConstantAngle(name, (first, second), angle)


def read_gear(name: str, entries: dict[str, Value], around: ReadContext) -> Gear:
    """Read two angles and their ratio; without an offset, they are as their points lie. Raises ModelError."""
    items = entries["angles"].items()
    if len(items) != 2:
        raise entries["angles"].complaint("it must be two angles")
    first, second = (find_angle(item, around.angles) for item in items)
    if first == second:
        raise entries["angles"].complaint("its two angles are one")
    ratio = read_number(entries["ratio"], around.names)
    if ratio == 0.0:
        raise entries["ratio"].complaint("a ratio is not zero")
    offset = read_number(entries["offset"], around.names) if "offset" in entries else float("nan")
    return Gear(name, (first, second), ratio, offset)


def read_spring(name: str, entries: dict[str, Value], around: ReadContext) -> Spring:
    """Read a spring. Raises ModelError."""
    points, angle = _ends("spring", name, entries, around)
    stiffness, rest = (read_parameter(key, name, entries, around.names) for key in ("stiffness", "rest"))
    if points is not None and rest < 0.0:
        raise entries["rest"].complaint("no spring has a negative length")
    return Spring(name, points, angle, stiffness, rest)


def read_damper(name: str, entries: dict[str, Value], around: ReadContext) -> Damper:
    """Read a damper. Raises ModelError."""
    damping, friction = (read_parameter(key, name, entries, around.names) for key in ("damping", "friction"))
    if friction < 0.0:
        at = entries.get("friction", entries[""]).at
        raise ModelError(
            f"the friction of damper {name!r} is {friction:g}", at=at, fix="friction takes energy: not < 0"
        )
    return Damper(name, *_ends("damper", name, entries, around), damping, friction)


def read_force(name: str, entries: dict[str, Value], around: ReadContext) -> Force:
    """Read a force. Raises ModelError."""
    value = read_components("value", name, entries, around.names, around.ends.axes)
    return Force(name, find_point(entries["at"], around.points), value)


def read_torque(name: str, entries: dict[str, Value], around: ReadContext) -> Torque:
    """Read a torque. Raises ModelError."""
    if ("body" in entries) == ("angle" in entries):
        raise _either(f"torque {name!r}", entries, "body", "angle")
    if "angle" in entries:
        value = read_parameter("value", name, entries, around.names)
        return Torque(name, None, find_angle(entries["angle"], around.angles), value)
    body, names = entries["body"].text(), [body.name for body in around.bodies]
    if body not in names:
        fix = suggest_name(body, names, "the bodies are")
        raise ModelError(f"torque {name!r}: there is no body {body!r}", at=entries["body"].at, fix=fix)
    if around.ends.dimension == 3:
        return Torque(name, names.index(body), None, read_components("value", name, entries, around.names, "xyz"))
    return Torque(name, names.index(body), None, read_parameter("value", name, entries, around.names))


def _ends(
    kind: str, name: str, entries: dict[str, Value], around: ReadContext
) -> tuple[tuple[int, int] | None, int | None]:
    if ("between" in entries) == ("angle" in entries):
        raise _either(f"{kind} {name!r}", entries, "between", "angle")
    if "angle" in entries:
        return None, find_angle(entries["angle"], around.angles)
    return find_line(entries["between"], around.points), None


def _either(who: str, entries: dict[str, Value], first: str, second: str) -> ModelError:
    has = "both" if first in entries else "neither"
    return ModelError(f"{who} has {has} {first!r} and {second!r}", at=entries[""].at, fix="write one of them")


def read_contact(name: str, entries: dict[str, Value], around: ReadContext) -> GroundContact:
    """Read a point that touches the ground. Raises ModelError."""
    numbers = {
        key: math.inf if value.content in RIGID else read_number(value, around.names)
        for key, value in entries.items()
        if key not in ("", "contact", "at")
    }
    return GroundContact(name, find_point(entries["at"], around.points), tuple(numbers.items()))


READERS: dict[str, tuple[str, Keys, Callable[..., Any]]] = {
    "sliders": ("slider", SLIDER, read_slider),
    "constant_angles": ("constant_angle", CONSTANT_ANGLE, read_constant_angle),
    "gears": ("gear", GEAR, read_gear),
    "springs": ("spring", SPRING, read_spring),
    "dampers": ("damper", DAMPER, read_damper),
    "forces": ("force", FORCE, read_force),
    "torques": ("torque", TORQUE, read_torque),
    "contacts": ("contact", CONTACT, read_contact),
}
"""Sections of a file: the key under which each part has its name, all its keys, and what reads it."""
