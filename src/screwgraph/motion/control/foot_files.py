"""Contacts and ground of a file of a controller: points as simulations have them, and the kinds of `CONTACTS`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import complaints_at
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.contacts import CONTACTS, HeldContact
from screwgraph.motion.control.controller import hold_contacts
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.simulation.contacts import Contact, Ground, Plane
from screwgraph.motion.simulation.contacts.contact_files import TOUCH, read_contacts

POINTS, GROUND = "contacts", "ground"
FEET: Mapping[str, str] = {POINTS: "a contact", **{key: kind.NOUN for key, kind in CONTACTS.items()}}
"""Entries of contacts, and what their items are."""
FOOT_KEYS: Keys = {
    **{key: Entry(kind.ABOUT, "list") for key, kind in CONTACTS.items()},
    **{key: entry._replace(default="none") for key, entry in TOUCH.items()},
}
"""Of files that have contacts and ground among other things."""


def read_feet(entries: Mapping[str, Value], folder: Path) -> tuple[tuple[Contact | HeldContact, ...], Ground | None]:
    """Return the contacts of a file's entries, and their ground, if there are some; files that they name are in folder.

    Raises:
        ModelError: an entry is unknown, missing or of the wrong kind, or a ground is without contacts.
    """
    if GROUND in entries and not FEET.keys() & entries.keys():
        raise ModelError("a ground without contacts", at=entries[GROUND].at, fix="contacts: [{frame: ...}]")
    points, ground = read_contacts(entries, folder)
    others = (_read_contact(kind, item) for key, kind in CONTACTS.items() for item in _list_items(entries, key))
    contacts = (*points, *others)
    return contacts, (ground or Plane()) if contacts else None


def find_feet(entries: Mapping[str, Value]) -> Value | None:
    """Return the first list of contacts of a file, if there is one."""
    return next((entries[key] for key in FEET if key in entries), None)


def check_feet(
    model: Model, entries: Mapping[str, Value], contacts: Sequence[Contact | HeldContact], ground: Ground | None
) -> ReducedMotion:
    """Return the motion of a model on the contacts of a file.

    Raises:
        ModelError: a contact is none of the model, or on no leg; at the first entry with which that is so.
        InputError: a model without contacts has no such motion.
    """
    places = [item.at for key in FEET for item in _list_items(entries, key) for _ in range(_count_points(item))]
    try:
        return _hold(model, contacts, ground)
    except InputError:
        for k, place in enumerate(places, 1):
            with complaints_at("the feet", place):
                _hold(model, contacts[:k], ground)
        raise


def _hold(model: Model, contacts: Sequence[Contact | HeldContact], ground: Ground | None) -> ReducedMotion:
    motion = ReducedMotion(model, *hold_contacts(model, contacts, ground))
    list(motion.legs)
    return motion


def _count_points(item: Value) -> int:
    entries = item.mapping()
    return len(entries["points"].items()) if "points" in entries else 1


def list_frames(entries: Mapping[str, Value]) -> Iterator[tuple[str, Value]]:
    """Return what each contact of a file is, and the entry that names its frame."""
    for key, noun in FEET.items():
        for item in _list_items(entries, key):
            yield noun, item.mapping()["frame"]


def _list_items(entries: Mapping[str, Value], key: str) -> tuple[Value, ...]:
    return tuple(entries[key].items()) if key in entries else ()


def _read_contact(kind: type[HeldContact], value: Value) -> HeldContact:
    entries = value.whole_section(kind.KEYS, kind.NOUN)
    with complaints_at(kind.NOUN, value.at):
        return kind.read_entry(entries)
