"""Robots: joints are what tasks name, torques act along all of them.

Actuators reach joints through lever arms. Chignoli et al. (2023), footnote 3.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.graph import FactorGraph, dynamics_graph, with_actuators
from screwgraph.model.robot import (
    Lever,
    Robot,
    actuators_of,
    constraint_residual,
    linear_actuation,
    list_torques,
    make_lever,
    make_unknown_name_error,
    units,
)
from screwgraph.motion.planning.models.base import ModelKind
from screwgraph.motion.planning.models.coordinates import find_coordinates, label_coordinates
from screwgraph.motion.planning.models.drive import Drive, make_joint_drive
from screwgraph.motion.planning.vector_code import compile_on_arrays
from screwgraph.spatial import vanishing

ROUNDED = 1e-6
"""How far (rad, m) positions may be beyond limits."""

Pair = tuple[float, float]


def _turns(robot: Robot) -> list[bool]:
    return [unit == "N m" for joint in robot.joints for unit in units(joint.type).effort]


def _drive(robot: Robot, names: Sequence[str] | None) -> Drive:
    """Actuators where a robot has any, else all joints but floating ones; or what is named: actuators, or joints."""
    own = {actuator.name for actuator in robot.actuators}
    if own and (names is None or own.issuperset(names)):
        return make_actuator_drive(robot, names)
    if names is None:
        names = [joint.name for joint in robot.joints if joint.type.nv < 6]
    chosen = sorted({c for name in names for c in find_coordinates(robot, name, "joint to actuate")})
    return make_joint_drive(robot, chosen, label_coordinates(robot), _turns(robot), chosen, robot.nv)


@dataclass(frozen=True, eq=False)
class ActuatorDrive:
    """Inputs u of actuators, which cause tau = B(q) effort(u) along all coordinates; `labels` are their names."""

    __repr__ = one_line

    robot: Robot
    labels: tuple[str, ...]

    what = "actuator"
    depends_on_positions = True  # lever arms change

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


def _effort_graph(robot: Robot, frames: Sequence[str]) -> tuple[FactorGraph, str]:
    return dynamics_graph(robot, frames), "tau"


def _closure_errors(robot: Robot, q: Any) -> Any:
    return constraint_residual(robot, q, size=vanishing)[list(robot.mobility.kept)]


def _is_assembled(robot: Robot, q: np.ndarray) -> bool:
    """Return whether no coordinate is beyond its limits."""
    return bool((robot.limits.lower <= q + ROUNDED).all() and (q - ROUNDED <= robot.limits.upper).all())


def _constraint_names(robot: Robot) -> list[str]:
    return [f"{row.of} {row.component}" for row in (robot.mobility.rows[i] for i in robot.mobility.kept)]


ROBOTS = ModelKind(
    as_robot=lambda robot: robot,
    model=lambda robot: robot,
    turns=_turns,
    drive=_drive,
    effort_graph=_effort_graph,
    closure_errors=_closure_errors,
    constraint_names=_constraint_names,
    is_assembled=_is_assembled,
    completed=lambda robot, q, given: q,
    completed_velocity=lambda robot, q, qd, given: qd,
    closed_path=lambda robot, q: q,
    ordering=lambda robot: "auto" if robot.is_closed else "articulated",
)
