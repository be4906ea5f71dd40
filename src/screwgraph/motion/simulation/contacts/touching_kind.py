"""What contacts ask of a kind of model: its places, those that its file names, its ground."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.contacts.geometry.contact import Contact
from screwgraph.motion.simulation.contacts.geometry.ground import Ground
from screwgraph.motion.simulation.contacts.geometry.mechanism_contacts import MechanismContacts
from screwgraph.motion.simulation.contacts.robot_contacts import RobotContacts


class TouchingKind(Protocol):
    """A kind of model whose bodies touch; a new one is a class with these methods."""

    def check(self, model: Any, contact: Contact) -> None:
        """Raise InputError where the model cannot have such a contact."""
        ...

    def check_parameter(self, model: Any, name: str) -> None:
        """Raise InputError where a number of the model is no input of a step with contacts."""
        ...

    def read_contacts(self, model: Any) -> Sequence[Contact]:
        """Return the contacts of the model's file. Raises InputError, ModelError where there are none."""
        ...

    def expand(self, model: Any, contacts: Sequence[Contact]) -> tuple[Contact, ...]:
        """Return the contacts with points, balls and slots in the place of shapes. Raises InputError, ModelError."""
        ...

    def count_most(self, model: Any) -> int:
        """Return how many contacts a step has at most."""
        ...

    def lay_ground(self, model: Any, given: Ground | None) -> Ground:
        """Return the ground that is given, else the model's own. Raises InputError where the model cannot touch it."""
        ...

    def lift(self, model: Any, q: Float[np.ndarray, "*B nq"], height: Float[np.ndarray, "*B"]) -> Any:
        """Return positions higher by some heights (m), where bodies that float may be; others as they are."""
        ...

    def find_vertical(self, model: Any) -> int:
        """Return the axis, of x, y and z, along which bodies are lifted."""
        ...

    def bend(self, model: Any, contacts: Sequence[Contact], q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, " nq"]:
        """Return a position near q whose joints are within the ranges of the file, contacts as far from each other."""
        ...

    def locate(self, model: Any, contacts: Sequence[Contact], q: Any) -> list[Any]:
        """Return the points, or centres of balls, of contacts (m)."""
        ...


TOUCHING: Mapping[str, TouchingKind] = {"robot": RobotContacts(), "mechanism": MechanismContacts()}
"""By kind of model."""
