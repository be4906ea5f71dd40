"""Contacts of a model: those that are named, or those of its file."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.geometry.contact import MOST_CLOSED, Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.touching_kind import TOUCHING

SHAPES = "collisions"
"""Contacts of a model's file: of the shapes of a robot, of the points that a mechanism's names."""


def make_contacts(
    model: Model, contacts: Sequence[Contact] | str, ground: Ground | None
) -> tuple[tuple[Contact, ...], Ground]:
    """Return contacts whose frames the model has, those of its own file or of a YAML file, and the ground.

    Raises:
        InputError: no link, frame or point has a name, a ground without contacts, shapes of a mechanism, or shapes of
            pairs whose points coal finds, which is not installed.
        ModelError: a file that cannot be read.
    """
    if not contacts:
        if ground is not None:
            raise InputError("a ground without contacts", fix='give contacts=[sg.Contact("foot"), ...]')
        return (), Plane()
    if not model.nv:
        raise InputError(f"contacts of {model.name!r}", why="nothing of it moves", fix='base="floating"')
    if isinstance(contacts, str) and contacts != SHAPES:
        own = load_contacts(contacts, model)
        contacts, ground = own.contacts, own.ground if ground is None else ground
    elif isinstance(contacts, str):
        contacts = tuple(TOUCHING[model.kind].read_contacts(model))
    contacts = tuple(contacts)  # of an iterator, too
    for contact in contacts:
        if not isinstance(contact, Contact):
            name = contact if isinstance(contact, str) else "foot"
            raise InputError(
                f"contacts: expected sg.Contact, got {describe_value(contact)}", fix=f"sg.Contact({name!r})"
            )
        TOUCHING[model.kind].check(model, contact)
    contacts = TOUCHING[model.kind].expand(model, contacts)
    most = TOUCHING[model.kind].count_most(model)
    if len(contacts) > most:
        closed = "its loops close by code that grows with the square of their number"
        raise InputError(
            f"{len(contacts)} contacts of {model.name!r} are more than {most}",
            why=closed if most == MOST_CLOSED else "the places of all that may touch stand in the code of a step",
            fix="name those that touch, a few of each link: contacts=[" + _describe_contacts(contacts) + ", ...]",
        )
    return contacts, TOUCHING[model.kind].lay_ground(model, ground)


def check_one_motion(contacts: Sequence[Contact], ground: Ground) -> None:
    """Raise InputError where numbers of contacts, or the ground, are those of many motions."""
    if ground.motions > 1 or any(contact.values.ndim > 1 for contact in contacts):
        raise InputError(
            "contacts or the ground have numbers for many motions",
            why="simulate takes one motion",
            fix="sg.rollout, or one number each",
        )


def find_live_names(model: Model, contacts: Sequence[Contact] | str, names: Iterable[str]) -> tuple[str, ...]:
    """Return names of parameters with those that a file of contacts names. Raises ModelError, as `make_contacts`."""
    if not isinstance(contacts, str) or contacts in ("", SHAPES):
        return tuple(names)
    return tuple(dict.fromkeys((*names, *load_contacts(contacts, model).parameters)))


def _describe_contacts(contacts: Sequence[Any]) -> str:
    """Return two of the contacts as they are written, the largest balls of the last links."""
    shown = list(contacts)
    frames = [*dict.fromkeys(contact.frame for contact in shown)][-2:]
    ends = [max((c for c in shown if c.frame == frame), key=lambda c: c.radius) for frame in frames]
    written = (f'"{c.frame}", radius={c.radius:g}, at=({", ".join(f"{x:.4g}" for x in c.at)})' for c in ends)
    return ", ".join(f"sg.Contact({text})" for text in written)
