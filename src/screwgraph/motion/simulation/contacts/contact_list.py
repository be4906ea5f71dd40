"""Contacts of a model: those that are named, or the shapes of its file."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.contact_files import load_contacts
from screwgraph.motion.simulation.contacts.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.mechanism_model import check_point, level_ground
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes

SHAPES = "collisions"
"""Contacts of the shapes of a robot's file."""


def make_contacts(
    model: Model, contacts: Sequence[Contact] | str, ground: Ground | None
) -> tuple[tuple[Contact, ...], Ground]:
    """Return contacts whose frames the model has, those of its file's shapes or of a YAML file, and the ground.

    Raises:
        InputError: no link, frame or point has a name, a ground without contacts, or balls of a mechanism.
        ModelError: a file that cannot be read.
    """
    if not contacts:
        if ground is not None:
            raise InputError("a ground without contacts", fix='give contacts=[sg.Contact("foot"), ...]')
        return (), Plane()
    if not model.nv:
        raise InputError(f"contacts of {model.name!r}", why="nothing of it moves", fix='base="floating"')
    if isinstance(contacts, str) and contacts != SHAPES:
        contacts, own = load_contacts(contacts)
        ground = own if ground is None else ground
    elif isinstance(contacts, str):
        contacts = tuple(SHAPED[model.kind](model))
    for contact in contacts:
        if not isinstance(contact, Contact):
            raise InputError(f"contacts: expected sg.Contact, got {describe_value(contact)}", fix='sg.Contact("foot")')
        CHECKS[model.kind](model, contact)
    return tuple(contacts), GROUNDS[model.kind](model) if ground is None else ground


def check_frame(robot: Any, contact: Contact) -> None:
    """Raise InputError where a robot lacks the frames of a contact, or touches itself with one link."""
    frame = robot.frame(contact.frame)
    if contact.against and robot.frame(contact.against.frame).link == frame.link:
        raise InputError(f"{contact.frame!r} touches {contact.against.frame!r}", why="they are on the same link")


def _refuse_shapes(mechanism: Any) -> tuple[Contact, ...]:
    raise InputError("contacts of the shapes of a mechanism", why="it has none", fix="name its points")


CHECKS: Mapping[str, Callable[..., Any]] = {"robot": check_frame, "mechanism": check_point}
"""Checks of contacts, by kind of model."""
SHAPED: Mapping[str, Callable[..., Any]] = {"robot": contacts_of_shapes, "mechanism": _refuse_shapes}
"""Contacts of the shapes of a file."""
GROUNDS: Mapping[str, Callable[..., Any]] = {"robot": lambda robot: Plane(), "mechanism": level_ground}
"""The ground where none is given."""
