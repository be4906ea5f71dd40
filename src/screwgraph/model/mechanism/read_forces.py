"""Guides, gears, springs, dampers, forces and torques from YAML."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, TypeVar

from screwgraph.base.errors import ModelError
from screwgraph.model.formats import Value, suggest_name
from screwgraph.model.formats.yaml_keys import REQUIRED, Keys
from screwgraph.model.mechanism.keys import DAMPER, FORCE, GEAR, SLIDER, SPRING, TORQUE
from screwgraph.model.mechanism.parts import Angle, Body, Damper, Force, Gear, Point, Slider, Spring, Torque
from screwgraph.model.mechanism.read_values import (
    Names,
    find_angle,
    find_line,
    find_point,
    read_name,
    read_number,
    read_pair,
    read_parameter,
)

Part = TypeVar("Part")


@dataclass(frozen=True)
class ReadContext:
    """Names that parts may refer to."""

    points: tuple[Point, ...]
    bodies: tuple[Body, ...]
    angles: tuple[Angle, ...]
    names: Names


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
    point, guide = find_point(entries["point"], around.points), find_line(entries["along"], around.points)
    if point in guide:
        raise entries["along"].complaint("the guide goes through the point that slides")
    first, second = (around.points[i] for i in guide)
    if first.fixed and second.fixed and (first.x, first.y) == (second.x, second.y):
        raise ModelError(f"slider {name!r} has a guide of length 0", at=entries[""].at)
    return Slider(name, point, guide)


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
    return Damper(name, *_ends("damper", name, entries, around), read_parameter("damping", name, entries, around.names))


def read_force(name: str, entries: dict[str, Value], around: ReadContext) -> Force:
    """Read a force. Raises ModelError."""
    return Force(name, find_point(entries["at"], around.points), read_pair("value", name, entries, around.names))


def read_torque(name: str, entries: dict[str, Value], around: ReadContext) -> Torque:
    """Read a torque. Raises ModelError."""
    if ("body" in entries) == ("angle" in entries):
        raise _either(f"torque {name!r}", entries, "body", "angle")
    value = read_parameter("value", name, entries, around.names)
    if "angle" in entries:
        return Torque(name, None, find_angle(entries["angle"], around.angles), value)
    body, names = entries["body"].text(), [body.name for body in around.bodies]
    if body not in names:
        fix = suggest_name(body, names, "the bodies are")
        raise ModelError(f"torque {name!r}: there is no body {body!r}", at=entries["body"].at, fix=fix)
    return Torque(name, names.index(body), None, value)


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


READERS: dict[str, tuple[str, Keys, Callable[..., Any]]] = {
    "sliders": ("slider", SLIDER, read_slider),
    "gears": ("gear", GEAR, read_gear),
    "springs": ("spring", SPRING, read_spring),
    "dampers": ("damper", DAMPER, read_damper),
    "forces": ("force", FORCE, read_force),
    "torques": ("torque", TORQUE, read_torque),
}
"""Sections of a file: the key under which each part has its name, all its keys, and what reads it."""
