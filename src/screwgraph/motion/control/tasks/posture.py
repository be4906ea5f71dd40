"""Joints that follow positions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_keys import Entry, Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.tasks.base import MotionTask, TaskRow, make_rows


@dataclass(frozen=True)
class PostureTask(MotionTask):
    """Positions of joints of one coordinate (rad, m), by default of all of them, in the robot's order.

    Mechanisms have coordinates in the place of joints, by default the independent ones.
    """

    joints: tuple[str, ...] = ()

    KEYS: ClassVar[Keys] = {"posture": Entry("joints that follow positions, all if it is empty", "[joint, ...]")}

    @classmethod
    def read_entry(cls, entries: Mapping[str, Value], gains: Mapping[str, Any]) -> Self:
        """Return the task of a file's entry. Raises ModelError, InputError."""
        return cls(tuple(item.text() for item in entries["posture"].items()), **gains)

    @property
    def usual_name(self) -> str:
        """It is called by no joint: `posture`."""
        return "posture"

    def list_places(self, model: Model) -> list[tuple[int, int]]:
        """Return the places in q and qd of what it follows. Raises InputError."""
        if len(set(self.joints)) < len(self.joints):
            raise InputError(f"the posture has joints {', '.join(self.joints)}", why="one is named twice")
        return as_controlled(model).list_places(self.joints)

    def references(self, model: Model) -> Mapping[str, tuple[int, ...]]:
        """Return the shapes of positions and of their rates (2, n)."""
        n = len(self.list_places(model))
        if not n:
            raise InputError(f"{model.name!r} has no joints of one coordinate for a posture")
        return {self.name: (n,), f"{self.name}_rates": (2, n)}

    def list_positions(self, model: Model) -> list[int]:
        """Return the places in q of what it follows."""
        return [at for at, _ in self.list_places(model)]

    def hold(self, model: Model, q: Float[np.ndarray, " nq"]) -> Mapping[str, Any]:
        """Return references with which the robot stays at q."""
        return {self.name: q[self.list_positions(model)]}

    def rows(self, model: Model, q: Any, qd: Any, *references: Any) -> list[TaskRow]:
        """Return a row for each coordinate."""
        reference, rates = references
        places = self.list_places(model)
        J, drift = np.zeros((len(places), model.nv)), [0.0] * len(places)
        for row, (_, along) in zip(J, places, strict=True):
            row[along] = 1.0
        error = [x - q[at] for (at, _), x in zip(places, reference, strict=True)]
        return make_rows(J, drift, error, [qd[along] for _, along in places], rates)
