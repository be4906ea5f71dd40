"""Robots that are controlled: independent joints, and the efforts along coordinates that motors cause."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, Function, robot_arguments, without_metadata
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics import bias_forces, mass_matrix
from screwgraph.mechanics.dynamics.bounded_efforts import check_linear
from screwgraph.mechanics.dynamics.closed_chains import INDEPENDENT, compile_dependence, find_driving_joints
from screwgraph.model.robot import Joint, Robot, Thruster, linear_actuation, regular_states
from screwgraph.motion.control.models.base import (
    BASE,
    SAMPLES,
    ControlledModel,
    CoordinateRange,
    IndependentCoordinates,
    Motors,
    check_once,
    choose_columns,
    multiply,
    sample_dependence,
    stack_columns,
)
from screwgraph.motion.control.models.independent_motion import IndependentMotion
from screwgraph.tape import Number


@dataclass(frozen=True, eq=False)
class RobotMotors(Motors):
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
    def drive_joints(self) -> bool:
        """Whether there are no actuators."""
        return not self.robot.actuators

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
        return choose_columns(robot.nv, self.places), np.zeros(robot.nv)


@dataclass(frozen=True, eq=False)
class RobotCoordinates(IndependentCoordinates):
    """The independent coordinates of a robot: of a tree all, of closed chains those of its independent joints."""

    __repr__ = one_line

    robot: Robot

    @cached_property
    def joints(self) -> list[str]:
        """The independent joints, in the robot's order."""
        names = find_driving_joints(self.robot)
        return [name for name in self.robot.joint_names if name in names]

    @cached_property
    def places(self) -> list[int]:
        """The velocity coordinates that are independent."""
        return [i for name in self.joints for i in range(self.robot.nv)[self.robot.v_slices[name]]]

    @cached_property
    def samples(self) -> list[tuple[Float[np.ndarray, " nq"], Float[np.ndarray, "nv n"]]]:
        """Positions at which loops are closed, with G."""
        robot, n = self.robot, len(self.places)
        if not robot.is_closed:
            rng = np.random.default_rng(0)
            return [(robot.random(rng), np.eye(n)) for _ in range(SAMPLES)]
        return sample_dependence(self._dependence, regular_states(robot, SAMPLES), (robot.nv, n))

    def complete_velocity(self, q: Any, yd: Any) -> Any:
        """Return G yd, of a tree yd."""
        robot, n = self.robot, len(self.places)
        return multiply(stack_columns(self._dependence, q, (robot.nv, n)), yd) if robot.is_closed else yd

    def solve(self, q: Any, qd: Any) -> IndependentMotion:
        """Return the equations of motion at a state (nq,), (nv,)."""
        robot = self.robot
        if not robot.is_closed:
            return IndependentMotion(np.asarray(mass_matrix(robot)(q)), bias_forces(robot)(q, qd), None, None)
        yd, n, f = np.asarray(qd)[self.places], len(self.places), self._dependence
        M = np.asarray(mass_matrix(robot, coordinates=INDEPENDENT)(q))[np.ix_(self._order, self._order)]
        h = bias_forces(robot, coordinates=INDEPENDENT)(q, yd)
        G = stack_columns(f, q, (robot.nv, n))
        return IndependentMotion(M, h, G, list[Number](f(q, qd, np.zeros(n))))

    @cached_property
    def _dependence(self) -> Function:
        return compile_dependence(self.robot)

    @cached_property
    def _order(self) -> list[int]:
        """Places of the coordinates in the mass matrix, which has the joints as they were chosen."""
        robot, start, found = self.robot, 0, dict[str, range]()
        for name in find_driving_joints(robot):
            size = robot.joint(name).type.nv
            found[name], start = range(start, start + size), start + size
        return [i for name in self.joints for i in found[name]]


@dataclass(frozen=True, eq=False)
class ControlledRobot(ControlledModel):
    """A robot that stands or floats."""

    __repr__ = one_line

    model: Robot

    @property
    def question(self) -> tuple[object, ...]:
        """The robot and its limits."""
        own = self.model.limits
        bounds = tuple(tuple(map(float, x)) for x in (own.lower, own.upper, own.velocity, own.effort))
        return without_metadata(self.model), bounds

    @property
    def arguments(self) -> tuple[Argument, Argument]:
        """The arguments q and qd, by joints."""
        names = self.model.joint_names
        q, qd = robot_arguments(self.model, [(kind, [Key(kind, name) for name in names]) for kind in ("q", "qd")])
        return q, qd

    @cached_property
    def coordinates(self) -> RobotCoordinates:
        """Coordinates of independent joints."""
        return RobotCoordinates(self.model)

    @cached_property
    def motors(self) -> RobotMotors:
        """Actuators, else motors of independent joints."""
        return RobotMotors(self.model)

    @property
    def mass(self) -> float:
        """The mass of all links (kg)."""
        return self.model.mass

    @property
    def floats(self) -> bool:
        """Whether the first joint has six velocities."""
        return bool(self.model.joints) and self.model.joints[0].type.nv == BASE and self.coordinates.places[0] == 0

    @cached_property
    def ranges(self) -> list[CoordinateRange]:
        """Limits of joints of one coordinate."""
        robot, own, found = self.model, self.model.limits, list[CoordinateRange]()
        for joint in robot.joints:
            if joint.type.nq == 1:
                at, along = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
                bounds = (float(x) for x in (own.lower[at], own.upper[at], own.velocity[along]))
                found.append(CoordinateRange(at, along, *bounds))
        return found

    @property
    def owners(self) -> list[str]:
        """The joint of each velocity."""
        return [joint.name for joint in self.model.joints for _ in range(joint.type.nv)]

    @property
    def torques(self) -> int:
        """One a velocity."""
        return self.model.nv

    def list_places(self, names: Sequence[str]) -> list[tuple[int, int]]:
        """Return places of named joints of one coordinate, or of all of them. Raises InputError."""
        robot = self.model
        if not names:
            joints: Sequence[Joint] = [joint for joint in robot.joints if joint.type.nq == joint.type.nv == 1]
        else:
            joints = [robot.joint(name) for name in names]
        for joint in joints:
            if joint.type.nq != 1:
                raise InputError(
                    f"the posture has joint {joint.name!r}, which has {joint.type.nq} position coordinates",
                    why="it is of joints of one coordinate",
                    fix="a task of a frame holds the pose of its link",
                )
        return [(robot.q_slices[joint.name].start, robot.v_slices[joint.name].start) for joint in joints]

    def list_velocities(self, names: Sequence[str]) -> list[int]:
        """Return velocities of named joints, or of all but a floating base. Raises InputError."""
        robot = self.model
        own = [robot.joint(name).name for name in names] or robot.joint_names[self.floats :]
        return [i for name in own for i in range(robot.nv)[robot.v_slices[name]]]

    def find_link(self, frame: str) -> str:
        """Return the link of a frame. Raises InputError."""
        return self.model.frame(frame).link

    def is_moved(self, link: str) -> bool:
        """Return whether joints lead to a link."""
        return bool(self.model.joints_to_base(link))

    def push(self, q: Any, efforts: Any) -> Any:
        """Return the efforts (nv,) along all coordinates that those of motors cause at a position."""
        B, rest = self.motors.arms(np.asarray(q, dtype=float))
        return B @ efforts + rest

    def with_motors(self, names: Sequence[str] | None) -> Robot:
        """Return a robot that only the named actuators, or joints, drive.

        Raises:
            InputError: no actuator and no joint has one of the names, or a law of force is not linear.
        """
        robot = choose_actuators(self.model, names)
        check_linear(robot, [actuator.name for actuator in robot.actuators])
        return robot


def choose_actuators(robot: Robot, names: Sequence[str] | None) -> Robot:
    """Return a robot that only the named actuators, or joints, drive; without names, as it is. Raises InputError."""
    if names is None:
        return robot
    if not names:
        raise InputError("no motor is named", fix="name one, or leave it out: all independent joints have one")
    check_once(names)
    own = {actuator.name: actuator for actuator in robot.actuators}
    found = tuple(m for n in names for m in _make_motors(robot, own, n))
    if not found:
        raise InputError(f"a controller of {robot.name!r}", why="no joint of it has a motor")
    return replace(robot, actuators=found)


def _make_motors(robot: Robot, own: Any, name: str) -> list[Any]:
    """Return the actuator of a name, or one along each coordinate of the joint of that name."""
    if name in own:
        return [own[name]]
    joint, place = robot.joint(name), robot.v_slices[name].start
    labels = [name] if joint.type.nv == 1 else [f"{name}[{i}]" for i in range(joint.type.nv)]
    most = [float(robot.limits.effort[place + i]) for i in range(len(labels))]
    return [Thruster(label, {label: 1.0}, bounds=(-x, x)) for label, x in zip(labels, most, strict=True)]
