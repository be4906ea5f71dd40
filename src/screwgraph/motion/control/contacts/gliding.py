"""Points and balls that glide along the ground: tools that wipe or polish, skids."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import NUMBER, REQUIRED, VECTOR, Entry, Keys
from screwgraph.model.model import Model
from screwgraph.motion.control.contacts.base import Held, HeldContact, Rows, hold_point
from screwgraph.motion.simulation.contacts import Contact
from screwgraph.motion.simulation.contacts.geometry.contact import FRICTION
from screwgraph.spatial import finite_vector
from screwgraph.tape import Number


@dataclass(frozen=True)
class GlidingPoint(HeldContact):
    """A point or a ball that does not leave the ground and glides along it; its force (1,) is the normal one (N).

    The velocity along the normal is held at zero. Sliding friction is a force that the controller does not know: what
    the point does along the ground is left to tasks and their gains.

    Args:
        frame: the link or frame that carries it.
        radius: of the ball about the point (m).
        at: the point in the frame (m).
        friction: Coulomb's coefficient, for the plant of a simulation; no row of the controller has it.
    """

    frame: str
    radius: float = 0.0
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    friction: float | Float[np.ndarray, " B"] = FRICTION

    NOUN = "a point that glides"
    ABOUT = "points and balls that push along the normal and glide"
    KEYS: ClassVar[Keys] = {
        "frame": Entry("link or frame", default=REQUIRED),
        "radius": Entry("of the ball about the point", NUMBER, "m", "0"),
        "at": Entry("the point in the frame", VECTOR, "m", "[0, 0, 0]"),
        "friction": Entry(
            "coefficient of friction of a simulation; no row of the controller has it", NUMBER, default="0.8"
        ),
    }

    def __post_init__(self) -> None:
        check_fields(self)
        if not 0.0 <= self.radius < np.inf:
            raise InputError(f"the radius at {self.frame!r} is {self.radius!r}", why="it must be finite, from 0 on (m)")
        finite_vector(self.at, 3, f"the point of {self.frame!r}", "it is in the frame (m)")
        friction = np.asarray(self.friction, dtype=float)
        if friction.ndim > 1 or not (friction >= 0.0).all():
            raise InputError(
                f"friction of the point of {self.frame!r} is {self.friction!r}", why="it must not be negative"
            )

    @property
    def size(self) -> int:
        """Its force is along the normal."""
        return 1

    @property
    def structure(self) -> tuple[object, ...]:
        """The place of the ball."""
        return "gliding", self.frame, self.radius, self.at

    @property
    def corners(self) -> list[Contact]:
        """The point or ball, which a simulation lets slide with its friction."""
        return [Contact(self.frame, self.radius, friction=self.friction, at=self.at)]

    def hold(self, model: Model, ground: Float[np.ndarray, "3 3"], q: Any, qd: Any = None) -> Held:
        """Return the velocity of the lowest point along the normal."""
        J, drift = hold_point(model, self.frame, self.at, q, qd, -self.radius * ground[0])
        axes = np.concatenate([np.zeros((3, 1)), ground[:1].T])
        return Held(ground[:1] @ J[3:], None if qd is None else ground[:1] @ drift[3:], axes)

    def cone(self, friction: Number) -> tuple[Rows, list[Number]]:
        """Return no row of friction, and the normal force."""
        return [], [1.0]
