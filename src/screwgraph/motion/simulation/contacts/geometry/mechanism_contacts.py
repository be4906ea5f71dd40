"""Contacts of mechanisms: points of theirs, and balls about them, on the ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats.diagnostics import complaints_at
from screwgraph.model.mechanism import Mechanism, live_mechanism
from screwgraph.model.mechanism.constraints.base import coordinate_value
from screwgraph.model.mechanism.forces import Motion
from screwgraph.model.mechanism.forces.base import coordinate_slots
from screwgraph.motion.simulation.contacts.geometry.contact import MOST_CLOSED, Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.upright_ground import UprightGround
from screwgraph.spatial import Array

ACROSS = 1e-9
"""Part of a unit normal out of the plane that is rounding."""


class MechanismContacts:
    """Contacts of points of mechanisms, and of balls about them, a `TouchingKind`."""

    def check(self, model: Mechanism, contact: Contact) -> None:
        """Raise InputError where a contact is no point of a mechanism or ball about one, or a point that stands still.

        A ball turns with the body of its point, which is one.
        """
        place = model.point(contact.frame)
        if contact.against is not None or contact.shape is not None or any(contact.at):
            raise InputError(
                f"the contact of {contact.frame!r} has a place, a shape or another body",
                why="points of mechanisms, and balls about them, touch the ground",
                fix="add a point to the body in its file",
            )
        if model.points[place].fixed:
            raise InputError(f"the contact of {contact.frame!r}, which is fixed", why="it carries what touches it")
        bodies = [body.name for body in model.bodies if place in body.points]
        if contact.radius and len(bodies) != 1:
            raise InputError(
                f"the ball about {contact.frame!r} turns with {' or '.join(bodies) or 'no body'}",
                why="its point is of one body",
                fix="add a point to that body in its file",
            )

    def check_parameter(self, model: Mechanism, name: str) -> None:
        """Raise InputError where the mechanism's file has no number of a name."""
        live_mechanism(model, (name,))

    def read_contacts(self, model: Mechanism) -> tuple[Contact, ...]:
        """Return the contacts of its file.

        Raises:
            InputError: it has none.
            ModelError: numbers that no contact has.
        """
        if not model.contacts:
            raise InputError(
                f"mechanism {model.name!r} has no contacts", fix="add contacts: [{contact: foot, at: P}] to its file"
            )
        found = list[Contact]()
        for own in model.contacts:
            who, numbers = f"contact {own.name!r}", dict[str, Any](own.numbers)
            at: Any = model.places.get(who)
            with complaints_at(who, at):
                found.append(Contact(model.points[own.point].name, **numbers))
        return tuple(found)

    def expand(self, model: Mechanism, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
        """Return the contacts as they are: points and balls."""
        return tuple(contacts)

    def count_most(self, model: Mechanism) -> int:
        """Return how many contacts a step has at most."""
        return MOST_CLOSED

    def lay_ground(self, model: Mechanism, given: Ground | None) -> Ground:
        """Return the ground that is given, else that of its file, else z = 0, in the plane y = 0.

        Steps and maps, whose heights are along z, are profiles over x for mechanisms in the plane.

        Raises:
            InputError: the normal of a plane that mechanisms in the plane touch is out of it.
        """
        if given is not None:
            return _lay_upright(model, given)
        up = (0.0, 1.0, 0.0) if model.dimension == 2 else (0.0, 0.0, 1.0)
        if model.ground is None:
            return Plane(up)
        normal, height = model.ground
        return Plane((*normal, *[0.0] * (3 - len(normal))), height)

    def lift(self, model: Mechanism, q: Float[np.ndarray, "*B n"], height: Float[np.ndarray, "*B"]) -> Any:
        """Return positions (*B, n) higher by some heights (m), where no point is fixed."""
        if any(point.fixed for point in model.points):
            return q
        slots = [int(point[-1]) for point in model.point_slots[: len(model.points)]]
        raised: np.ndarray = np.array(q)
        raised[..., slots] += np.expand_dims(height, -1)
        return raised

    def find_vertical(self, model: Mechanism) -> int:
        """Return the last axis of the mechanism: y in the plane."""
        return model.dimension - 1

    def bend(self, model: Mechanism, contacts: Sequence[Contact], q: Any) -> Any:
        """Return q: mechanisms have no ranges."""
        return q

    def locate(self, model: Mechanism, contacts: Sequence[Contact], q: Any) -> list[Any]:
        """Return where the points of contacts are (m)."""
        return [locate_point(model, contact, q)[0] for contact in contacts]


def _lay_upright(mechanism: Mechanism, ground: Ground) -> Ground:
    """Return a ground whose heights are along y for mechanisms in the plane. Raises InputError, see `lay_ground`."""
    planes = ground.tangent_planes(np.zeros((ground.motions, 1, 3)), np.zeros(1))
    if mechanism.dimension != 2 or (np.abs(planes[..., 2]) <= ACROSS).all():
        return ground
    if not ground.flat:
        return UprightGround(ground)
    raise InputError(
        f"the ground of {mechanism.name!r}, a mechanism in the plane, has a normal out of the plane",
        why="x and y are its axes, and up is y",
        fix="a ground of the normal (0, 1, 0), or points with z in its file",
    )


def locate_point(
    mechanism: Mechanism, contact: Contact, q: Any
) -> tuple[Float[Array, "3"], Mapping[int, Float[Array, "3"]]]:
    """Return where a point is (m), and what unit velocities along coordinates give it; planar ones are at z = 0."""
    slots = mechanism.point_slots[mechanism.point(contact.frame)]
    place = [*(coordinate_value(q, slot) for slot in slots), *[0.0] * (3 - len(slots))]
    return np.array(place), {s: np.eye(3)[axis] for axis, s in enumerate(slots) if isinstance(s, int)}


def turn_ball(mechanism: Mechanism, contact: Contact, q: Any) -> Mapping[int, Sequence[Any]]:
    """Return the angular velocities (rad/s) that unit velocities along coordinates give the ball about a point."""
    if not contact.radius:
        return {}
    place = mechanism.point(contact.frame)
    body = next(body for body in mechanism.bodies if place in body.points)
    slots, found = coordinate_slots(mechanism, body.ends), dict[int, Sequence[Any]]()
    for slot in slots:
        turning = Motion(mechanism, q, {other: float(other == slot) for other in slots}).turning(body)
        found[slot] = (0.0, 0.0, *turning)[-3:]
    return found


def push_points(
    mechanism: Any,
    contacts: Sequence[Contact],
    forces: Float[np.ndarray, "*N k 3"],
    q: Float[np.ndarray, "*N n"],
    planes: Float[np.ndarray, "*N k 4"],
) -> Float[np.ndarray, "*N n"]:
    """Return the forces on all coordinates of a mechanism (N) that those at points of balls on planes are, at q."""
    found, along = np.zeros((*forces.shape[:-2], mechanism.n)), np.moveaxis(q, -1, 0)
    for k, contact in enumerate(contacts):
        force = forces[..., k, :]
        for slot, axis in locate_point(mechanism, contact, mechanism.home)[1].items():
            found[..., slot] += force @ axis
        moment = np.cross(-contact.radius * planes[..., k, :3], force)
        for slot, turning in turn_ball(mechanism, contact, along).items():
            found[..., slot] += sum(m * w for m, w in zip(np.moveaxis(moment, -1, 0), turning, strict=True))
    return found
