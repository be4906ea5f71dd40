"""Coordinates that are states of a horizon: of a tree all, else independent ones.

To add a kind of model: one file and a line in `STATES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, without_metadata
from screwgraph.mechanics.dynamics import closed_positions
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, find_driving_joints
from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.control.predictive.mechanism_states import MechanismStates

GUESS = "guess"


class StateCoordinates(Protocol):
    """The coordinates of a model that are states; loops are in the assembly mode in which it is drawn."""

    @property
    def model(self) -> Model:
        """The model, which queries are asked about."""
        ...

    @property
    def joints(self) -> Robot:
        """A robot whose joints are these coordinates: their manifold, names and limits.

        Raises:
            InputError: the model has no such coordinates.
        """
        ...

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of queries that take states."""
        ...

    @property
    def question(self) -> object:
        """All of the model that code depends on."""
        ...

    def check_frame(self, name: str) -> None:
        """Raise InputError where there is no such link, frame or body."""
        ...

    def choose_driven(self, actuated: Sequence[str] | None) -> Sequence[str] | None:
        """Return the names of coordinates with efforts; None are all but a floating base. Raises InputError."""
        ...

    def spread_efforts(self, efforts: Sequence[Any], driven: Sequence[int]) -> Sequence[Any]:
        """Return the efforts that dynamics take, of those of driven coordinates."""
        ...


@dataclass(frozen=True, eq=False)
class RobotStates:
    """All coordinates of a tree, those of the independent joints of a closed chain."""

    __repr__ = one_line

    model: Robot

    @property
    def joints(self) -> Robot:
        """A robot of the independent joints alone, which has their manifold, names and limits.

        Raises:
            EliminationError: only a part of a joint is independent.
            InputError: loops cannot be closed, or lock the robot.
        """
        return self._joints

    @cached_property
    def _joints(self) -> Robot:
        robot = self.model
        if not robot.is_closed:
            return robot
        names, links, joints = find_driving_joints(robot), [robot.links[0]], []
        for joint, link in zip(robot.joints, robot.links[1:], strict=True):
            if joint.name in names:
                joints.append(replace(joint, parent=links[-1].name))
                links.append(link)
        closures: dict[str, Any] = {"frames": (), "loops": (), "couplings": (), "independent": None, "actuators": ()}
        return replace(robot, links=tuple(links), joints=tuple(joints), **closures)

    @property
    def options(self) -> Mapping[str, Any]:
        """Options of queries that take states."""
        return {"coordinates": INDEPENDENT, "positions": INDEPENDENT} if self.model.is_closed else {}

    @property
    def question(self) -> object:
        """The robot, but for what is no matter of its motion."""
        return without_metadata(self.model)

    def check_frame(self, name: str) -> None:
        """Raise InputError where there is no such link or frame."""
        self.model.frame(name)

    def choose_driven(self, actuated: Sequence[str] | None) -> Sequence[str] | None:
        """Return what is given."""
        return actuated

    def spread_efforts(self, efforts: Sequence[Any], driven: Sequence[int]) -> Sequence[Any]:
        """Return efforts along all coordinates, zero where none are given."""
        found: list[Any] = [0.0] * self.joints.nv
        for effort, j in zip(efforts, driven, strict=True):
            found[j] = effort
        return found


STATES: Mapping[str, Callable[[Any], StateCoordinates]] = MappingProxyType(
    {"robot": RobotStates, "mechanism": MechanismStates}
)
"""By kind of model."""


def make_states(model: Model) -> StateCoordinates:
    """Return the coordinates of a model that are states."""
    return STATES[model.kind](model)


def choose_guess(states: StateCoordinates, function: Function) -> tuple[Any, ...]:
    """Return the position near which a function closes loops, where it takes one."""
    return (states.model.neutral(),) if function.arguments[-1].name == GUESS else ()


def complete_position(states: StateCoordinates, q: Any) -> Any:
    """Return the positions of all coordinates."""
    if not states.options:
        return q
    function = closed_positions(states.model)
    return function(q, *choose_guess(states, function))
