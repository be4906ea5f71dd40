"""Numbers of contacts that steps take beside the state: of their laws, and of the ground under each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, Result, compile_expression, make_numbered_argument, without_metadata
from screwgraph.model.robot import Robot
from screwgraph.motion.simulation.contacts.contact import Contact
from screwgraph.motion.simulation.contacts.ground import Ground
from screwgraph.motion.simulation.contacts.moving_point import move_point


@dataclass(frozen=True, eq=False)
class ContactInputs:
    """Arguments of a step with k contacts: numbers of laws (4 k,), or (B, 4 k), and tangent planes of the ground."""

    __repr__ = one_line

    values: Float[np.ndarray, "*B n"]
    ground: Ground
    radii: Float[np.ndarray, " k"]
    places: Function | None = None

    @classmethod
    def of(cls, robot: Any, contacts: Sequence[Contact], ground: Ground) -> ContactInputs:
        """Make them for a robot. Raises InputError where numbers are for other counts of motions."""
        places = None if ground.fixed else compile_places(robot, contacts)
        made = cls(stack_values(contacts), ground, np.array([contact.radius for contact in contacts]), places)
        if made.values.ndim == 2 and ground.motions not in (1, len(made.values)):
            raise InputError(
                f"contacts have numbers for {len(made.values)} motions, the ground for {ground.motions}",
                fix="give as many, or one",
            )
        return made

    @property
    def motions(self) -> int:
        """For how many motions they are."""
        return max(self.ground.motions, len(self.values) if self.values.ndim == 2 else 1)

    def spread(self, *states: Float[np.ndarray, "*B n"]) -> list[Float[np.ndarray, "B n"]]:
        """Return states, one for each motion. Raises InputError where there are others."""
        for x in states:
            if x.ndim == 2 and len(x) not in (1, self.motions):
                raise InputError(
                    f"contacts and ground have numbers for {self.motions} motions, states are {len(x)}",
                    fix="give as many, or one",
                )
        return [np.array(np.broadcast_to(x, (self.motions, x.shape[-1]))) for x in states]

    def astype(self, dtype: str) -> ContactInputs:
        """Return them for steps of another type."""
        places = self.places and self.places.astype(dtype)
        return replace(self, values=self.values.astype(dtype), places=places)

    def select(self, motions: slice) -> ContactInputs:
        """Return those of some of the motions."""
        values = self.values[motions] if self.values.ndim == 2 and len(self.values) > 1 else self.values
        return replace(self, values=values, ground=self.ground.select(motions))

    def at(self, q: Float[np.ndarray, "*B nq"]) -> tuple[Float[np.ndarray, "*B n"], ...]:
        """Return the arguments of a step that begins at q."""
        if self.places is None:
            return (self.values,)
        planes = self.ground.tangent_planes(self.places.ufunc(q), self.radii)
        return self.values, planes.reshape(*planes.shape[:-2], -1).astype(self.places.dtype, copy=False)


def stack_values(contacts: Sequence[Contact]) -> Float[np.ndarray, "*B n"]:
    """Return the numbers of all contacts' laws, (4 k,), or (B, 4 k), one row a motion.

    Raises:
        InputError: contacts have numbers for other counts of motions.
    """
    values = [contact.values for contact in contacts]
    counts = sorted({len(x) for x in values if x.ndim == 2})
    if len(counts) > 1:
        raise InputError(f"contacts have numbers for {counts[0]} motions and for {counts[-1]}", fix="give as many")
    return np.concatenate([np.zeros((*counts, 0)), *(np.broadcast_to(x, (*counts, 4)) for x in values)], axis=-1)


def compile_places(robot: Robot, contacts: Sequence[Contact]) -> Function:
    """Return the points, or centres of balls, of contacts (k, 3) (m) as a function of q."""

    def expression(q: np.ndarray) -> list[object]:
        return [x for c in contacts for x in move_point(robot, robot.frame(c.frame), c.at, q).p]

    question = (without_metadata(robot), tuple((contact.frame, contact.at) for contact in contacts))
    results = (Result("places", (len(contacts), 3)),)
    return compile_expression(
        "contact_places", question, (make_numbered_argument("q", robot.nq),), expression, results=results
    )
