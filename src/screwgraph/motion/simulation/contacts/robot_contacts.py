"""Contacts of robots: points, balls and shapes in frames of links."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float
from scipy.optimize import least_squares

from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.model.robot.parameters import parameters_of
from screwgraph.motion.simulation.contacts.geometry.contact import MOST, MOST_CLOSED, Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground, Plane
from screwgraph.motion.simulation.contacts.geometry.moving_point import move_point
from screwgraph.motion.simulation.contacts.live_parameters import check_live_parameters
from screwgraph.motion.simulation.contacts.shape_contacts import contacts_of_shapes, expand_shapes
from screwgraph.spatial import Array

MARGIN = 0.05
"""Part of a joint's range that is left at either end."""
NEAR = 1e-2
"""Metres by which contacts move as gladly as a joint moves by a radian."""


class RobotContacts:
    """Contacts of links of robots, a `TouchingKind`."""

    def check(self, model: Robot, contact: Contact) -> None:
        """Raise InputError where a robot lacks the frames of a contact, or touches itself with one link."""
        frame = model.frame(contact.frame)
        if contact.against and model.frame(contact.against.frame).link == frame.link:
            raise InputError(f"{contact.frame!r} touches {contact.against.frame!r}", why="they are on the same link")

    def check_parameter(self, model: Robot, name: str) -> None:
        """Raise InputError where a number of the robot is no input of a step with contacts."""
        check_live_parameters(parameters_of(model, (name,)))

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

    def lift(
        self, model: Robot, q: Float[np.ndarray, "*B nq"], height: Float[np.ndarray, "*B"]
    ) -> Float[np.ndarray, "*B nq"]:
        """Return positions (*B, nq) at which all bodies that float in the base's axes are higher by heights (m)."""
        q = np.array(q)
        for joint in model.joints:
            if joint.is_free and joint.parent == model.links[0].name:
                first = model.q_slices[joint.name].start
                q[..., first : first + 3] += np.multiply.outer(height, joint.origin[2, :3])
        return q

    def find_vertical(self, model: Robot) -> int:
        """Return z."""
        return 2

    def bend(self, model: Robot, contacts: Sequence[Contact], q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
        """Return a position near q whose joints are within the ranges of the file; contacts stay where they are seen.

        Seen is from above, in the base's axes: knees that stretch beyond their range bend, and hips with them. Robots
        with loops, whose joints depend on one another, stay as they are.
        """
        lower, upper = model.limits.lower, model.limits.upper
        inside = MARGIN * np.where(np.isfinite(upper - lower), upper - lower, 0.0)
        least, most, q = lower + inside, upper - inside, np.array(q, dtype=float)
        single = np.array([model.q_slices[joint.name].start for joint in model.joints if joint.type.nq == 1], dtype=int)
        if model.is_closed or not ((q < lower) | (q > upper))[single].any():
            return q
        seen, q[single] = self.locate(model, contacts, q), np.clip(q, least, most)[single]
        free = single[least[single] < most[single]]  # ranges may be single positions
        near = q[free]

        def miss(x: np.ndarray) -> np.ndarray:
            bent = q.copy()
            bent[free] = x
            moved = np.subtract(self.locate(model, contacts, bent), seen).reshape(-1, 3)[:, :2]
            return np.concatenate([moved.ravel(), NEAR * (x - near)])

        q[free] = least_squares(miss, near, bounds=(least[free], most[free])).x if free.size else near
        return q

    def locate(self, model: Robot, contacts: Sequence[Contact], q: Float[Array, " nq"]) -> list[Float[Array, "3"]]:
        """Return the points, or centres of balls, of contacts (m)."""
        return [move_point(model, model.frame(c.frame), c.at, q).p for c in contacts]
