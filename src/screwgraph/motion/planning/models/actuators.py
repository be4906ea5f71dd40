"""Robots that actuators drive: efforts reach joints through lever arms. Chignoli et al. (2023), footnote 3."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.graph import FactorGraph, with_actuators
from screwgraph.model.robot import (
    Lever,
    Robot,
    actuators_of,
    linear_actuation,
    list_torques,
    make_lever,
    make_unknown_name_error,
)
from screwgraph.motion.planning.vector_code import compile_on_arrays

Pair = tuple[float, float]


@dataclass(frozen=True, eq=False)
class ActuatorDrive:
    """Inputs u of actuators, which cause tau = B(q) effort(u) along all coordinates; `labels` are their names."""

    __repr__ = one_line

    robot: Robot
    labels: tuple[str, ...]

    what = "actuator"

    @cached_property
    def levers(self) -> tuple[Lever, ...]:
        """How each actuator acts on joints."""
        return tuple(make_lever(self.robot, actuator) for actuator in actuators_of(self.robot, self.labels))

    @property
    def units(self) -> tuple[str, ...]:
        """The unit of each effort."""
        return tuple(actuator.effort_unit(self.robot) for actuator in actuators_of(self.robot, self.labels))

    @property
    def coordinates(self) -> tuple[int, ...]:
        """The velocity coordinates of the joints on which actuators act."""
        slices = {
            self.robot.v_slices[j.name].start: self.robot.v_slices[j.name] for one in self.levers for j in one.joints
        }
        return tuple(c for start in sorted(slices) for c in range(start, slices[start].stop))

    @property
    def slots(self) -> tuple[None, ...]:
        """Nowhere: efforts are no torques of joints."""
        return (None,) * len(self.labels)

    @property
    def limits(self) -> Mapping[str, Pair]:
        """The bounds of the file."""
        return {actuator.name: actuator.bounds for actuator in actuators_of(self.robot, self.labels)}

    def places(self, name: str) -> tuple[int, ...]:
        """Return the effort of an actuator. Raises InputError where there is none of that name."""
        if name not in self.labels:
            raise make_unknown_name_error("actuator", name, self.labels)
        return (self.labels.index(name),)

    def remaining_forces(self, required: Any, q: Any, efforts: Any) -> Any:
        """Return forces along coordinates less those of the efforts."""
        for one, given in zip(self.levers, efforts, strict=True):
            for place, torque in list_torques(self.robot, one, q, given):
                required[place] -= torque
        return required

    def efforts(self, q: Float[np.ndarray, "N nq"], required: Float[np.ndarray, "N nv"]) -> Float[np.ndarray, "N m"]:
        """Return the smallest efforts that come next to forces along coordinates; laws of force count as linear."""
        found = []
        for at, tau in zip(q, required, strict=True):
            B, rest = linear_actuation(self.robot, at, self.labels)
            found.append(np.linalg.pinv(B) @ (tau - rest))
        return np.array(found)

    def torques(self, q: Float[np.ndarray, "N nq"], efforts: Float[np.ndarray, "N m"]) -> Float[np.ndarray, "N nv"]:
        """Return the torques of all joints, B(q) u."""
        return self._torques(q, efforts)

    @cached_property
    def _torques(self) -> Callable[..., np.ndarray]:
        nv, sizes = self.robot.nv, (self.robot.nq, len(self.labels))
        return compile_on_arrays(lambda q, u: -self.remaining_forces(np.zeros(nv, dtype=object), q, u), sizes, nv)

    def driven(self, graph: FactorGraph) -> FactorGraph:
        """Return the graph of a robot with the efforts as variables."""
        return with_actuators(graph, *self.labels)


def make_actuator_drive(robot: Robot, names: Sequence[str] | None) -> ActuatorDrive:
    """Return the drive of some actuators, by default of all. Raises InputError where there is none of a name."""
    return ActuatorDrive(robot, tuple(actuator.name for actuator in actuators_of(robot, names)))
