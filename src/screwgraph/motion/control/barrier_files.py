"""Barriers of a controller in YAML files."""

from __future__ import annotations

from typing import Any

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import as_model_error
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.control.barriers import (
    BallBarrier,
    Barrier,
    CapsuleBarrier,
    LinkCapsule,
    PlaneBarrier,
    SelfCollisionBarrier,
    ShapeBarrier,
)
from screwgraph.motion.simulation.contacts.contact_files import read_other, read_plane

BARRIER: Keys = {
    "capsule": Entry("capsule of the robot that stays away from something", "mapping"),
    "from": Entry("another capsule of the robot", "mapping"),
    "ball": Entry("ball that moves: name of the argument that is its centre"),
    "radius": Entry("of that ball", NUMBER, "m"),
    "plane": Entry("plane above which it stays", "mapping"),
    "shape": Entry("sphere, capsule or box of another link, as of contacts", "mapping"),
    "self_collision": Entry("in the place of these: capsules of which pairs that can touch stay apart", "list"),
    "rate": Entry("how fast a distance may shrink", NUMBER, "1/s", "10"),
    "margin": Entry("distance that is left", NUMBER, "m", "0"),
}
CAPSULE: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "radius": Entry("of the capsule", NUMBER, "m", REQUIRED),
    "start": Entry("an end of its line in the frame", VECTOR, "m", "[0, 0, 0]"),
    "end": Entry("the other end; a ball without", VECTOR, "m"),
}
OTHERS = ("from", "ball", "plane", "shape")
"""Keys of what a capsule stays away from."""


def read_barrier(value: Value) -> Barrier:
    """Return the barrier of an entry. Raises ModelError."""
    entries = value.section(BARRIER, "a barrier")
    numbers = {key: entries[key].number({}) for key in ("rate", "margin") if key in entries}
    others = [key for key in OTHERS if key in entries]
    is_own = "self_collision" in entries
    if is_own == ("capsule" in entries) or len(others) != 1 - is_own:
        has = " and ".join(key for key in ("capsule", *OTHERS, "self_collision") if key in entries) or "nothing"
        why = f"it must have a capsule and one of {', '.join(OTHERS)}, or self_collision"
        raise ModelError(f"a barrier has {has}", at=value.at, why=why)
    if ("radius" in entries) != ("ball" in entries):
        raise value.complaint("a ball has a radius, and nothing else does")
    try:
        if is_own:
            return SelfCollisionBarrier(tuple(map(_read_capsule, entries["self_collision"].items())), **numbers)
        return _read_other(others[0], _read_capsule(entries["capsule"]), entries, numbers)
    except InputError as error:
        raise as_model_error(error, "a barrier", value.at) from None


def _read_other(kind: str, capsule: LinkCapsule, entries: Any, numbers: Any) -> Barrier:
    given = entries[kind]
    if kind == "from":
        return CapsuleBarrier(capsule, _read_capsule(given), **numbers)
    if kind == "ball":
        return BallBarrier(capsule, entries["radius"].number({}), given.text(), **numbers)
    if kind == "plane":
        return PlaneBarrier(capsule, read_plane(given), **numbers)
    return ShapeBarrier(capsule, read_other(given), **numbers)


def _read_capsule(value: Value) -> LinkCapsule:
    entries = value.section(CAPSULE, "a capsule")
    for key in ("frame", "radius"):
        if key not in entries:
            raise value.complaint(f"it must have a {key}")
    ends: dict[str, Any] = {key: entries[key].numbers({}, 3) for key in ("start", "end") if key in entries}
    return LinkCapsule(entries["frame"].text(), entries["radius"].number({}), **ends)
