"""What drives a model: torques and forces along its coordinates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.graph import FactorGraph
from screwgraph.motion.planning.models.coordinates import find_coordinates, find_joint, list_units

Pair = tuple[float, float]


class Drive(Protocol):
    """Drive of a plan: what the unknown efforts u are, and which forces along coordinates they cause."""

    @property
    def what(self) -> str:
        """Word for what has an effort: a joint or an actuator."""
        ...

    @property
    def labels(self) -> tuple[str, ...]:
        """Name of each effort."""
        ...

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each effort."""
        ...

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The velocity coordinates along which efforts cause forces."""
        ...

    @property
    def slots(self) -> tuple[int | None, ...]:
        """Place of each effort among the model's torques; None where it is none of them."""
        ...

    @property
    def limits(self) -> Mapping[str, Pair]:
        """Bounds of efforts in the model's file, by name; infinite where there are none."""
        ...

    @property
    def depends_on_positions(self) -> bool:
        """Whether efforts cause other torques at other positions."""
        ...

    def places(self, name: str) -> tuple[int, ...]:
        """Return which efforts have a name. Raises InputError where none has."""
        ...

    def remaining_forces(self, required: Any, q: Any, efforts: Any) -> Any:
        """Return forces (nv,) along coordinates less those of the efforts, on any kind of number."""
        ...

    def efforts(self, q: Float[np.ndarray, "N nq"], required: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, "N m"]:
        """Return the smallest efforts that come next to forces along coordinates."""
        ...

    def torques(self, q: Float[np.ndarray, "N nq"], efforts: Float[np.ndarray, "N m"]) -> Float[np.ndarray, "N size"]:
        """Return the torques of the model, zero where nothing drives it."""
        ...

    def driven(self, graph: FactorGraph) -> FactorGraph:
        """Return the graph of a robot with the efforts as variables."""
        ...


@dataclass(frozen=True)
class JointDrive:
    """Forces along coordinates; the model has `size` torques, of all joints or of motors, and these are at `slots`."""

    __repr__ = one_line

    robot: Any
    coordinates: tuple[int, ...]
    labels: tuple[str, ...]
    units: tuple[str, ...]
    size: int
    slots: tuple[int, ...]

    what = "joint"
    depends_on_positions = False

    @property
    def limits(self) -> Mapping[str, Pair]:
        """Bounds of the torques of driven joints in the file, infinite where there are none."""
        joints = {joint.name: joint for joint in self.robot.joints}
        every = {name: joints[find_joint(self.robot, name)].limits.effort for name in self.labels}
        return {name: (-np.inf, np.inf) if most is None else (-most, most) for name, most in every.items()}

    def places(self, name: str) -> tuple[int, ...]:
        """Return the efforts of a joint, or of a coordinate. Raises InputError where that is not driven."""
        found = find_coordinates(self.robot, name, "actuated joint")
        for c in found:
            if c not in self.coordinates:
                raise InputError(f"joint {name!r} is not actuated", fix=f"name one of {', '.join(self.labels)}")
        return tuple(self.coordinates.index(c) for c in found)

    def remaining_forces(self, required: Any, q: Any, efforts: Any) -> Any:
        """Return forces along coordinates less those of the efforts."""
        required[list(self.coordinates)] -= efforts
        return required

    def efforts(self, q: Float[np.ndarray, "N nq"], required: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, "N m"]:
        """Return the forces along the driven coordinates."""
        return required[:, list(self.coordinates)]

    def torques(self, q: Float[np.ndarray, "N nq"], efforts: Float[np.ndarray, "N m"]) -> Float[np.ndarray, "N size"]:
        """Return all torques, zero where nothing is actuated."""
        tau = np.zeros((*efforts.shape[:-1], self.size))
        tau[..., list(self.slots)] = efforts
        return tau

    def driven(self, graph: FactorGraph) -> FactorGraph:
        """Return the graph as it is: efforts are its torques."""
        return graph


def make_joint_drive(
    robot: Any,
    coordinates: Sequence[int],
    labels: Sequence[str],
    turns: Sequence[bool],
    slots: Sequence[int],
    size: int,
) -> JointDrive:
    """Return the drive of some coordinates; labels and `turns` are those of all."""
    chosen, units = tuple(coordinates), list_units(turns, "force")
    return JointDrive(
        robot, chosen, tuple(labels[c] for c in chosen), tuple(units[c] for c in chosen), size, tuple(slots)
    )
