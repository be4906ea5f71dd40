"""A slot: a contact whose point, normal and gap are inputs of a step, as what finds them says."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.other_body import OtherBody


@dataclass(frozen=True)
class ContactSlot(Contact):
    """One of the points at which a shape touches another one, or the ground; the first has the place 0."""

    place: int = 0

    @property
    def other(self) -> OtherBody:
        """The body that it touches."""
        if self.against is None:
            raise ValueError("a slot of the ground")
        return self.against


def make_slots(contact: Contact, count: int) -> list[Contact]:
    """Return so many slots of a contact that has a shape."""
    values = {name: getattr(contact, name) for name in contact.__dataclass_fields__}
    first = ContactSlot(**values)
    return [replace(first, place=k) for k in range(count)]


def count_slots(contacts: Iterable[Contact]) -> int:
    """Return how many of some contacts are slots."""
    return sum(isinstance(contact, ContactSlot) for contact in contacts)


def find_pairs(contacts: Sequence[Contact]) -> list[tuple[int, ...]]:
    """Return the slots, by place, of each pair of shapes; they have one normal."""
    groups = list[list[int]]()
    for k, contact in enumerate(contacts):
        if isinstance(contact, ContactSlot) and contact.against is not None:
            groups += [[]] if contact.place == 0 else []
            groups[-1].append(k)
    return [tuple(own) for own in groups]


def describe_place(contact: Contact) -> tuple[object, ...]:
    """Return the part of a contact that code depends on: of a slot the frames, as its point is an input."""
    if isinstance(contact, ContactSlot):
        return contact.frame, contact.against and contact.against.frame
    return contact.frame, contact.radius, contact.at, contact.against
