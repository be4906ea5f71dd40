"""Contacts of a model: those that are named, or the shapes of its file."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes

SHAPES = "collisions"
"""Contacts of the shapes of a robot's file."""


def make_contacts(
    model: Model, contacts: Sequence[Contact] | str, ground: Ground | None
) -> tuple[tuple[Contact, ...], Ground]:
    """Return contacts whose frames the model has, those of its file's shapes or of a YAML file, and the ground.

    Raises:
        InputError: no link or frame has a name, a ground without contacts, or contacts of a mechanism.
        ModelError: a file that cannot be read.
    """
    if not contacts:
        if ground is not None:
            raise InputError("a ground without contacts", fix='give contacts=[sg.Contact("foot"), ...]')
        return (), Plane()
    if not isinstance(model, Robot):
        raise InputError(
            f"contacts of a {model.kind}", why="they are of links and frames of robots", fix="load a robot"
        )
    if not model.joints:
        raise InputError(f"contacts of {model.name!r}", why="nothing of it moves", fix='base="floating"')
    if isinstance(contacts, str) and contacts != SHAPES:
        contacts, own = load_contacts(contacts)
        ground = own if ground is None else ground
    elif isinstance(contacts, str):
        contacts = contacts_of_shapes(model)
    for contact in contacts:
        if not isinstance(contact, Contact):
            raise InputError(f"contacts: expected sg.Contact, got {describe_value(contact)}", fix='sg.Contact("foot")')
        frame = model.frame(contact.frame)
        if contact.against and model.frame(contact.against.frame).link == frame.link:
            raise InputError(f"{contact.frame!r} touches {contact.against.frame!r}", why="they are on the same link")
    return tuple(contacts), Plane() if ground is None else ground
