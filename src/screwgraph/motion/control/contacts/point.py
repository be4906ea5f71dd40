"""Points and balls that rest on the ground: contacts of simulations."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.model.model import Model
from screwgraph.motion.control.contacts.base import ROUND, Held, HeldContact, Rows, hold_point, make_pyramid
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.tape import Number


@dataclass(frozen=True)
class PointContact(HeldContact):
    """A point or a ball that does not slip, as `sg.Contact`; its force (3,) has the ground's axes: normal, tangents."""

    frame: str
    radius: float
    at: tuple[float, float, float]
    friction: float | Float[np.ndarray, " B"]

    has_round_cone = True

    @property
    def size(self) -> int:
        """A force has three components."""
        return 3

    @property
    def structure(self) -> tuple[object, ...]:
        """The place of the ball."""
        return "point", self.frame, self.radius, self.at

    @property
    def corners(self) -> list[Contact]:
        """The point or ball."""
        return [Contact(self.frame, self.radius, friction=self.friction, at=self.at)]

    def hold(self, model: Model, ground: Float[np.ndarray, "3 3"], q: Any, qd: Any = None) -> Held:
        """Return the velocity of the lowest point."""
        J, drift = hold_point(model, self.frame, self.at, q, qd, -self.radius * ground[0])
        axes = np.concatenate([np.zeros((3, 3)), ground.T])
        return Held(ground @ J[3:], None if qd is None else ground @ drift[3:], axes)

    def cone(self, friction: Number) -> tuple[Rows, list[Number]]:
        """Return a pyramid in Coulomb's cone, and the normal force."""
        normal, *tangents = np.eye(3).tolist()
        return make_pyramid(normal, tangents, ROUND * friction), normal
