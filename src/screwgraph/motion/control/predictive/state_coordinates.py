"""Coordinates that are states of a horizon: of a tree all, else independent ones.

To add a kind of model: one file and a line in `STATES`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Function, without_metadata
from screwgraph.mechanics.dynamics import closed_positions
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, find_driving_joints
from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.control.models.robot import choose_actuators
from screwgraph.motion.control.predictive.mechanism_states import MechanismStates

GUESS = "guess"


class StateCoordinates(Protocol):
    """The coordinates of a model that are states; loops are in the assembly mode of `near`."""

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

    @property
    def near(self) -> Float[np.ndarray, " nq"] | None:
        """A position near which loops are closed; None is the neutral one."""
        ...

    @property
    def start(self) -> Float[np.ndarray, " nq"]:
        """That position, of the coordinates that are states."""
        ...

    def check_frame(self, name: str) -> None:
        """Raise InputError where there is no such link, frame or body."""
        ...

    def choose_actuators(self, actuated: Sequence[str] | None) -> RobotStates | None:
        """Return the states of a robot that only these actuators drive, by default all; None if joints have motors."""
        ...

    def without_actuators(self) -> StateCoordinates:
        """Return the states of the model without actuators."""
        ...

    def choose_driven(self, actuated: Sequence[str] | None) -> Sequence[str]:
        """Return the names of coordinates with efforts; none are all but a floating base. Raises InputError."""
        ...

    def spread_efforts(self, efforts: Sequence[Any], driven: Sequence[int]) -> Sequence[Any]:
        """Return the efforts that dynamics take, of those of driven coordinates."""
        ...


@dataclass(frozen=True, eq=False)
class RobotStates:
    """All coordinates of a tree, those of the independent joints of a closed chain."""

    __repr__ = one_line

    model: Robot
    near: Float[np.ndarray, " nq"] | None = None

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
        """The robot, but for what is no matter of its motion, and where its loops are closed."""
        return without_metadata(self.model), None if self.near is None else tuple(map(float, self.near))

    @property
    def start(self) -> Float[np.ndarray, " nq"]:
        """The neutral position, or `near`."""
        q = self.model.neutral() if self.near is None else self.near
        return np.concatenate([q[self.model.q_slices[joint.name]] for joint in self.joints.joints])

    def check_frame(self, name: str) -> None:
        """Raise InputError where there is no such link or frame."""
        self.model.frame(name)

    def choose_actuators(self, actuated: Sequence[str] | None) -> RobotStates | None:
        """Return those of a robot that these actuators, and joints, drive; None where all are joints."""
        own = [actuator.name for actuator in self.model.actuators]
        if not (own if actuated is None else [name for name in actuated if name in own]):
            return None
        return replace(self, model=choose_actuators(self.model, actuated))

    def without_actuators(self) -> RobotStates:
        """Return the states of the robot without actuators."""
        return replace(self, model=replace(self.model, actuators=())) if self.model.actuators else self

    def choose_driven(self, actuated: Sequence[str] | None) -> Sequence[str]:
        """Return what is given."""
        return actuated or ()

    def spread_efforts(self, efforts: Sequence[Any], driven: Sequence[int]) -> Sequence[Any]:
        """Return efforts along all coordinates, zero where none are given."""
        found: list[Any] = [0.0] * self.joints.nv
        for effort, j in zip(efforts, driven, strict=True):
            found[j] = effort
        return found


STATES: Mapping[str, Callable[..., StateCoordinates]] = MappingProxyType(
    {"robot": RobotStates, "mechanism": MechanismStates}
)
"""By kind of model."""


def make_states(model: Model, near: Float[np.ndarray, " nq"] | None = None) -> StateCoordinates:
    """Return the coordinates of a model that are states."""
    return STATES[model.kind](model, near)


def check_near(model: Model, near: Any) -> Float[np.ndarray, " nq"] | None:
    """Return a position near which loops are closed, if one is given. Raises InputError where it has no sense."""
    if near is None:
        return None
    found, shape = validate_numbers("near", near), np.shape(model.neutral())
    if found.shape != shape or not np.isfinite(found).all():
        raise InputError(f"near of the shape {found.shape}", fix=f"give {shape} finite numbers")
    if not make_states(model).options:
        raise InputError(f"near of {model.name!r}, which has no loops", fix="leave it out")
    return found


def choose_guess(states: StateCoordinates, function: Function) -> tuple[Any, ...]:
    """Return the position near which a function closes loops, where it takes one."""
    if function.arguments[-1].name != GUESS:
        return ()
    return (states.model.neutral() if states.near is None else states.near,)


def complete_position(states: StateCoordinates, q: Any) -> Any:
    """Return the positions of all coordinates."""
    if not states.options:
        return q
    function = closed_positions(states.model)
    return function(q, *choose_guess(states, function))
