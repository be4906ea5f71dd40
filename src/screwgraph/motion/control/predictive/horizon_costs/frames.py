"""Frames follow poses along a horizon."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Self

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.kinematics import forward_kinematics
from screwgraph.model.formats.yaml_keys import Entry
from screwgraph.model.formats.yaml_values import Value
from screwgraph.model.model import Model
from screwgraph.motion.control.live_numbers import list_rotation_identities
from screwgraph.motion.control.predictive.horizon_costs.base import HorizonCost
from screwgraph.motion.control.predictive.state_coordinates import StateCoordinates
from screwgraph.spatial import log3
from screwgraph.tape import Number


@dataclass(frozen=True)
class FrameCost(HorizonCost):
    """Poses (4, 4) that links or frames shall have; six errors each.

    They are the rotation vector (rad) in the goal's axes, and the way (m) in the base's.
    """

    frames: tuple[str, ...]

    ENTRY: ClassVar[Entry] = Entry("links or frames whose poses have goals", "[name, ...]", default="none")

    @classmethod
    def read_entry(cls, value: Value) -> Self:
        """Return the cost of a file's entry. Raises ModelError."""
        return cls(tuple(item.text() for item in value.items()))

    @property
    def name(self) -> str:
        """Poses."""
        return "frames"

    @property
    def weights_name(self) -> str:
        """Weights of each frame."""
        return "frame_weights"

    @property
    def goal_shape(self) -> tuple[int, ...]:
        """A pose each."""
        return len(self.frames), 4, 4

    @property
    def weights_shape(self) -> tuple[int, ...]:
        """Of angular errors, then of linear ones."""
        return len(self.frames), 6

    def check(self, states: StateCoordinates) -> None:
        """Raise InputError where a frame is unknown or named twice."""
        for name in self.frames:
            states.check_frame(name)
        if len(set(self.frames)) < len(self.frames):
            raise InputError(f"frames: {', '.join(self.frames)}", why="one is named twice")

    def errors(self, model: Model, q: Any, goal: Any) -> Sequence[Number]:
        """Return the errors of all frames."""
        found = list[Number]()
        for frame, wanted in zip(self.frames, np.reshape(goal, (-1, 4, 4)), strict=True):
            T = np.asarray(forward_kinematics(model, frame)(q))
            found += [*log3(wanted[:3, :3].T @ T[:3, :3]), *(T[:3, 3] - wanted[:3, 3])]
        return found

    def list_identities(self, goal: Any) -> list[Number]:
        """Return what vanishes for orientations."""
        return [x for T in np.reshape(goal, (-1, 4, 4)) for x in list_rotation_identities(T[:3, :3])]

    def draw(self, rng: np.random.Generator) -> Float[np.ndarray, "frames 4 4"]:
        """Return poses without a turn."""
        found = np.tile(np.eye(4), (len(self.frames), 1, 1))
        found[:, :3, 3] = rng.standard_normal((len(self.frames), 3))
        return found
