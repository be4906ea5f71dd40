"""Contacts of robots: points, balls and shapes in frames of links."""

from __future__ import annotations

from collections.abc import Sequence

from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact import MOST, MOST_CLOSED, Contact
from screwgraph.motion.simulation.contacts.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.moving_point import move_point
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes, expand_shapes
from screwgraph.spatial import Array


class RobotContacts:
    """Contacts of links of robots, a `TouchingKind`."""

    def check(self, model: Robot, contact: Contact) -> None:
        """Raise InputError where a robot lacks the frames of a contact, or touches itself with one link."""
        frame = model.frame(contact.frame)
        if contact.against and model.frame(contact.against.frame).link == frame.link:
            raise InputError(f"{contact.frame!r} touches {contact.against.frame!r}", why="they are on the same link")

    def read_contacts(self, model: Robot) -> tuple[Contact, ...]:
        """Return the contacts of the shapes of its file. Raises InputError where there are none."""
        return contacts_of_shapes(model)

    def expand(self, model: Robot, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
        """Return the contacts with points, balls and slots in the place of shapes. Raises InputError, ModelError."""
        return tuple(expand_shapes(model, contacts))

    def count_most(self, model: Robot) -> int:
        """Return how many contacts a step has at most."""
        return MOST_CLOSED if model.loops else MOST

    def lay_ground(self, model: Robot, given: Ground | None) -> Ground:
        """Return the ground that is given, else the plane z = 0 of the base's axes."""
        return Plane() if given is None else given

    def locate(self, model: Robot, contacts: Sequence[Contact], q: Float[Array, " nq"]) -> list[Float[Array, "3"]]:
        """Return the points, or centres of balls, of contacts (m)."""
        return [move_point(model, model.frame(c.frame), c.at, q).p for c in contacts]
