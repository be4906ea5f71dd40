"""A contact: a point, a ball or a shape of a body that touches the ground, or another body."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_fields, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.geometry.other_body import OtherBody, validate_place, validate_shape
from screwgraph.motion.simulation.contacts.geometry.touching_points import MOST_SLOTS, SLOTS
from screwgraph.spatial import from_xyz_rpy

FRICTION = 0.8
"""Coulomb's coefficient where none is given: rubber on concrete."""
STIFFNESS, DAMPING = 1e6, 1e3
"""Of the normal direction (N/m, N s/m) where none are given."""

NUMBERS = ("friction", "restitution", "stiffness", "damping")
"""Of the law of a contact, in the order of `Contact.values`, which has the inverse of the stiffness."""
GROUND = "ground"
"""The parameter of contacts that is a surface, not numbers."""
LIVE = (*NUMBERS, GROUND)
"""Parameters of contacts."""
MOST, MOST_CLOSED = 500, 100
"""Contacts of a step at most, and of one of a model that has loops."""


@dataclass(frozen=True)
class Contact:
    """A point of a link or frame, a ball about it, or a shape, that touches the ground or another body.

    It obeys Signorini's and Coulomb's laws. The normal force is that of a spring and a damper that push only, taken at
    the end of each step; with `stiffness` infinite the contact is rigid. Friction is Coulomb's, of an exact round cone.
    Numbers of the laws may be arrays (B,), one a motion.

    Args:
        frame: the link or frame that carries it.
        radius: of the ball (m), 0 of a point.
        friction: Coulomb's coefficient.
        restitution: rebound over impact velocity, of impacts faster than the simulation's threshold.
        stiffness: of the normal direction (N/m).
        damping: of the normal direction (N s/m).
        at: the point, the centre of the ball, or the origin of the shape, in the frame (m).
        against: the shape of another body that it touches, in the place of the ground.
        shape: a shape of `screwgraph.model.robot`, or "collisions", those of the link in its file: corners and balls
            that touch the ground, or `slots` points for each pair of shapes, found at each step. Meshes stand for their
            convex hulls; pairs but those of two boxes are found by coal.
        rpy: roll, pitch, yaw of the shape in the frame (rad).
        slots: the most points of a pair of shapes, 1 to 8; faces that are turned have up to 8 corners in common.
    """

    frame: str
    radius: float = 0.0
    friction: float | Float[np.ndarray, " B"] = FRICTION
    restitution: float | Float[np.ndarray, " B"] = 0.0
    stiffness: float | Float[np.ndarray, " B"] = STIFFNESS
    damping: float | Float[np.ndarray, " B"] = DAMPING
    at: tuple[float, float, float] = (0.0, 0.0, 0.0)
    against: OtherBody | None = None
    shape: Any = None
    rpy: tuple[float, float, float] = (0.0, 0.0, 0.0)
    slots: int = SLOTS

    __repr__ = one_line

    def __post_init__(self) -> None:
        check_fields(self)
        who = f"of the contact of {self.frame!r}"
        for name, most, why in (
            ("radius", np.inf, "finite and not negative"),
            ("friction", np.inf, "finite and not negative"),
            ("restitution", 1.0, "from 0 to 1"),
            ("stiffness", np.inf, "positive, infinite of a rigid contact"),
            ("damping", np.inf, "finite and not negative"),
        ):
            value = validate_numbers(f"{name} {who}", getattr(self, name))
            is_right = (value > 0.0) if name == "stiffness" else (value >= 0.0) & ((value < most) | (value <= 1.0))
            if value.ndim > 1:
                raise InputError(
                    f"{name} {who} has the shape {value.shape}", fix="give a number, or (B,), one a motion"
                )
            if not is_right.all():
                raise InputError(f"{name} {who} is {value.tolist()!r}", why=f"it must be {why}")
        validate_place(f"the place {who}", self.at)
        validate_place(f"rpy {who}", self.rpy)
        if not 1 <= self.slots <= MOST_SLOTS:
            raise InputError(
                f"slots {who} is {self.slots!r}", why=f"a pair of shapes touches in 1 to {MOST_SLOTS} points"
            )
        if self.shape is not None:
            validate_shape(f"the shape {who}", self.shape)
            if self.radius:
                raise InputError(f"the contact of {self.frame!r} has a shape and a radius", fix="give one of both")

    @property
    def T(self) -> Float[np.ndarray, "4 4"]:
        """The pose of the shape in the frame."""
        return from_xyz_rpy(np.array(self.at, dtype=float), np.array(self.rpy, dtype=float))

    @property
    def values(self) -> Float[np.ndarray, "*B 4"]:
        """Friction, restitution, compliance (m/N), damping: what code takes of the law."""
        numbers = self.friction, self.restitution, 1.0 / np.asarray(self.stiffness, dtype=float), self.damping
        return np.stack(np.broadcast_arrays(*(np.asarray(x, dtype=float) for x in numbers)), axis=-1)
