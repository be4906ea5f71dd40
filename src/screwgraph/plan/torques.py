"""Which torques of a model the efforts of a plan are."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.plan.coordinates import MechanismCoordinates


@dataclass(frozen=True)
class Torques:
    """The model has `size` torques, of all joints or of motors; efforts are those at `places`."""

    size: int
    places: tuple[int, ...]

    def of(self, efforts: Float[np.ndarray, "*N m"]) -> Float[np.ndarray, "*N size"]:
        """Return all torques, zero where nothing is actuated."""
        tau = np.zeros((*efforts.shape[:-1], self.size))
        tau[..., list(self.places)] = efforts
        return tau


def torques_of(robot: Any, actuated: tuple[int, ...]) -> Torques:
    """Return where the efforts of coordinates stand. Raises InputError: no motor of a mechanism drives one of them."""
    if not isinstance(robot, MechanismCoordinates):
        return Torques(robot.nv, actuated)
    slots = [robot.mechanism.angle_slots[i] for i in robot.mechanism.motors]
    for coordinate in actuated:
        if coordinate not in slots:
            raise InputError(
                f"no motor drives the coordinate {robot.joint_names[coordinate]!r}",
                why=f"those of {robot.name!r} drive {', '.join(robot.joint_names[i] for i in slots) or 'none'}",
                fix="motors: [angle, ...] in its file",
            )
    return Torques(len(slots), tuple(slots.index(coordinate) for coordinate in actuated))
