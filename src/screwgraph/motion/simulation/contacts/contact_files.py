"""Contacts in YAML files."""

from __future__ import annotations

from pathlib import Path

from screwgraph.base.errors import ModelError
from screwgraph.model.formats.file_io import find_file, read_bytes
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.formats.yaml_values import Value, parse_yaml
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.ground import Plane

RIGID = "inf"
"""The stiffness of a rigid contact."""
FILE: Keys = {
    "contacts": Entry("contacts", "list", default=REQUIRED),
    "ground": Entry("the plane that they touch", "mapping", default="z = 0"),
}
CONTACT: Keys = {
    "frame": Entry("link or frame", default=REQUIRED),
    "radius": Entry("radius of the ball about the point", NUMBER, "m", "0"),
    "points": Entry("points in the frame, a contact each", "[[x, y, z], ...]", "m", "[[0, 0, 0]]"),
    "friction": Entry("coefficient of friction", NUMBER, default="0.8"),
    "restitution": Entry("rebound over impact velocity", NUMBER, default="0"),
    "stiffness": Entry("of the normal direction, inf of a rigid contact", NUMBER, "N/m", "1e6"),
    "damping": Entry("of the normal direction", NUMBER, "N s/m", "1e3"),
}
GROUND: Keys = {
    "normal": Entry("normal of the ground", VECTOR, default="[0, 0, 1]"),
    "height": Entry("height of the ground along the normal", NUMBER, "m", "0"),
}


def load_contacts(path: str | Path) -> tuple[tuple[Contact, ...], Plane]:
    """Return the contacts and the ground of a YAML file.

    Raises:
        ModelError: the file cannot be read, or an entry is unknown, missing or of the wrong kind.
    """
    file = str(path)
    root = parse_yaml(read_bytes(find_file(Path(file), file), file), file)
    entries = root.section(FILE, "the file")
    if "contacts" not in entries:
        raise ModelError("the file has no contacts", at=root.at, fix="contacts: [{frame: foot}]")
    found = [contact for item in entries["contacts"].items() for contact in _read_contact(item)]
    return tuple(found), _read_ground(entries["ground"]) if "ground" in entries else Plane()


def _read_contact(value: Value) -> list[Contact]:
    entries = value.section(CONTACT, "a contact")
    if "frame" not in entries:
        raise value.complaint("it must have a frame")
    numbers = {key: _number(entries[key]) for key in entries if key not in ("frame", "points")}
    points = [p.numbers({}, 3) for p in entries["points"].items()] if "points" in entries else [(0.0, 0.0, 0.0)]
    return [Contact(entries["frame"].text(), at=(x, y, z), **numbers) for x, y, z in points]


def _number(value: Value) -> float:
    return float("inf") if value.content == RIGID else value.number({})


def _read_ground(value: Value) -> Plane:
    entries, found = value.section(GROUND, "ground"), Plane()
    normal = entries["normal"].numbers({}, 3) if "normal" in entries else found.normal
    x, y, z = normal
    return Plane((x, y, z), entries["height"].number({}) if "height" in entries else found.height)
