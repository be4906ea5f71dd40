"""Motors of a controlled robot: the efforts that it chooses, and the efforts along coordinates that they cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.bounded_efforts import check_linear
from screwgraph.mechanics.dynamics.closed_chains import find_driving_joints
from screwgraph.model.robot import Robot, Thruster, linear_actuation

BASE = 6
"""Velocity coordinates of a floating base."""


@dataclass(frozen=True, eq=False)
class Motors:
    """The motors of a robot: its actuators, else its independent joints but for a floating base."""

    __repr__ = one_line

    robot: Robot

    @cached_property
    def places(self) -> tuple[int, ...]:
        """The velocity coordinate of each motor that is on a joint, where there are no actuators."""
        robot = self.robot
        names = () if robot.actuators else find_driving_joints(robot)
        own = [j for i, j in enumerate(robot.joints) if j.name in names and (i or j.type.nv != BASE)]
        return tuple(i for joint in own for i in range(robot.nv)[robot.v_slices[joint.name]])

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Their names."""
        robot = self.robot
        if robot.actuators:
            return tuple(actuator.name for actuator in robot.actuators)
        labels = [joint.name for joint in robot.joints for _ in range(joint.type.nv)]
        return tuple(labels[i] for i in self.places)

    @property
    def bounds(self) -> list[tuple[float, float]]:
        """The least and the largest effort of each (N m, N; the unit of an actuator's input)."""
        if self.robot.actuators:
            return [actuator.bounds for actuator in self.robot.actuators]
        return [(-float(self.robot.limits.effort[i]), float(self.robot.limits.effort[i])) for i in self.places]

    def arms(self, q: Any) -> tuple[Any, Any]:
        """Return B (nv, n) and rest (nv,): efforts along all coordinates are B u + rest."""
        robot = self.robot
        if robot.actuators:
            return linear_actuation(robot, q)
        B = np.zeros((robot.nv, len(self.places)))
        B[self.places, range(len(self.places))] = 1.0
        return B, np.zeros(robot.nv)

    def push(self, q: Any, efforts: Any) -> Any:
        """Return the efforts (nv,) along all coordinates that those of motors cause at a position."""
        B, rest = self.arms(np.asarray(q, dtype=float))
        return B @ efforts + rest


def with_motors(robot: Robot, names: Sequence[str] | None) -> Robot:
    """Return a robot that only the named actuators, or joints, drive.

    Raises:
        InputError: no actuator and no joint has one of the names, or a law of force is not linear.
    """
    if names is not None:
        own = {actuator.name: actuator for actuator in robot.actuators}
        robot = replace(robot, actuators=tuple(m for n in dict.fromkeys(names) for m in _make_motors(robot, own, n)))
        if not robot.actuators:
            raise InputError(f"a controller of {robot.name!r}", why="no joint of it has a motor")
    check_linear(robot, [actuator.name for actuator in robot.actuators])
    return robot


def _make_motors(robot: Robot, own: Any, name: str) -> list[Any]:
    """Return the actuator of a name, or one along each coordinate of the joint of that name."""
    if name in own:
        return [own[name]]
    joint, place = robot.joint(name), robot.v_slices[name].start
    labels = [name] if joint.type.nv == 1 else [f"{name}[{i}]" for i in range(joint.type.nv)]
    most = [float(robot.limits.effort[place + i]) for i in range(len(labels))]
    return [Thruster(label, {label: 1.0}, bounds=(-x, x)) for label, x in zip(labels, most, strict=True)]
