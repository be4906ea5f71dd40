"""Robots, as identification sees them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.mechanics.dynamics import base_parameters, inverse_dynamics, regressor
from screwgraph.mechanics.dynamics.regressor import linear_parameters
from screwgraph.mechanics.kinematics import difference, frame_jacobian
from screwgraph.model.robot import (
    Robot,
    closed_states,
    independent_coordinates,
    make_unknown_name_error,
    without_loops,
)
from screwgraph.model.robot.parameters import BODIES, Parameter, parameters_of, with_values
from screwgraph.motion.identification.applied_torques import AppliedTorques, Contact, compile_motor_torques
from screwgraph.motion.identification.closed_chain_motion import ClosedChainMotion
from screwgraph.motion.identification.manifold_curves import (
    Motion,
    compile_displacement,
    is_displaced,
    lift_motion,
    normalise_quaternions,
)
from screwgraph.motion.identification.models.base import CoordinateLimits, TorqueLaw, Unknown
from screwgraph.motion.identification.recording import Columns, Rows
from screwgraph.motion.simulation import coordinate_names
from screwgraph.motion.simulation.motion_files import AXES

FORCE = ".force"
"""Suffix of a contact that transmits no moments."""


@dataclass(frozen=True, eq=False)
class IdentifiedRobot:
    """A robot: torques of closed chains are those of the tree, projected on the motions that loops allow."""

    subject: Robot
    wrench_axes: tuple[str, ...] = AXES
    needed_columns: str = "give it for all joints, or for none"

    def find_place(self, name: str) -> str:
        return self.subject.frame(name).name

    def find_contact(self, name: str) -> Contact:
        """Return a contact by the name of its frame; "FRAME.force" transmits no moment. Raises InputError."""
        robot = self.subject
        own = {frame.name for frame in robot.frames} | {link.name for link in robot.links}
        is_point = name not in own and name.endswith(FORCE)
        frame = robot.frame(name.removesuffix(FORCE) if is_point else name).name
        return Contact(frame, (not is_point,) * 3 + (True,) * 3)

    def wrench_jacobian(self, place: str) -> Callable[..., Float[np.ndarray, "N 6 nv"]]:
        return frame_jacobian(self.subject, place)

    def motors(self, constants: Mapping[str, float]) -> RobotMotors:
        return RobotMotors(self, constants)

    def complete(self, kind: str, given: Mapping[str, np.ndarray]) -> None:
        """Return nothing: positions of joints do not follow from each other."""

    def law(self, names: Sequence[str] | None, payload: str | None) -> TorqueLaw:
        robot = self.subject
        names = linear_parameters(robot) if names is None else tuple(names)
        base, own = base_parameters(robot, parameters=names, payload=payload), parameters_of(robot, names, payload)
        tree = without_loops(robot)
        axes = (3 if p.kind in BODIES else 0 for p in own)
        return TorqueLaw(
            tuple(Unknown(p.name, p.labels(robot), p.nominal(robot), n) for p, n in zip(own, axes, strict=True)),
            base,
            independent_coordinates(robot) if robot.is_closed else list(range(robot.nv)),
            regressor(tree, parameters=names, payload=payload),
            inverse_dynamics(tree, parameters=names, payload=payload),
            ClosedChainMotion.from_robot(robot) if robot.is_closed else None,
            partial(apply_parameters, robot, own),
        )

    def limits(self) -> CoordinateLimits:
        """Return the limits of joints of one coordinate. Raises InputError for loops, and other joints."""
        robot = self.subject
        if robot.is_closed:
            raise InputError(
                f"no excitation is planned for {robot.name!r}",
                why="loops or couplings tie its joints, and sums of sines do not close them",
                fix="excite the open chains, or record a motion of your own",
            )
        several = [joint.name for joint in robot.joints if joint.type.nv != 1]
        if several:
            raise InputError(
                f"no excitation is planned for joint {several[0]!r}",
                why="it has several coordinates, and no motor that moves them at will",
                fix='load the robot with base="fixed"',
            )
        own = robot.limits
        effort = np.where(own.effort == 0.0, np.inf, own.effort)  # no effort is a limit that a file left open
        names = tuple(f"joint {name!r}" for name in robot.joint_names)
        return CoordinateLimits(names, own.lower, own.upper, own.velocity, effort)

    def follower(self) -> Callable[..., Motion]:
        return lambda q, qd, qdd: (q, qd, qdd)

    def closed_states(self, count: int) -> Float[np.ndarray, "N nq"]:
        return np.array(closed_states(self.subject, count))

    def lift(self, s: Float[np.ndarray, "N nq"], s1: np.ndarray, s2: np.ndarray) -> Motion:
        return lift_motion(self.subject, s, s1, s2)

    def normalise(self, q: Float[np.ndarray, "N nq"]) -> Float[np.ndarray, "N nq"]:
        return normalise_quaternions(self.subject, q)

    def difference(self) -> Callable[..., Float[np.ndarray, "N nv"]]:
        return difference(self.subject)

    def displacement(self, free: Sequence[int]) -> Callable[..., Motion]:
        """Return code that displaces motions. Raises InputError where only some coordinates of a joint are free."""
        robot = self.subject
        for joint in robot.joints:
            own, why = set(range(*robot.v_slices[joint.name].indices(robot.nv))), ""
            fix = 'leave motion out: "filtered"'
            if not is_displaced(joint):
                why = f"positions of joint {joint.name!r} are {joint.type.manifold.kind}"
            elif joint.type.nq > joint.type.nv and own & set(free) and not own <= set(free):
                why = f"only some coordinates of joint {joint.name!r} are independent"
                fix = "choose whole joints with robot.with_independent_joints(names)"
            if why:
                what = f"the motion of {robot.name!r} is not estimated with its parameters"
                raise InputError(what, why=why, fix=fix)
        return compile_displacement(robot)

    def rates(self) -> list[tuple[str, int, int]]:
        """Return the coordinates whose velocity is the rate of the position: joint, places in q and in qd."""
        robot, found = self.subject, list[tuple[str, int, int]]()
        for joint in robot.joints:
            if joint.type.nq == joint.type.nv:
                q, v = robot.q_slices[joint.name].start, robot.v_slices[joint.name].start
                found += [(joint.name, q + i, v + i) for i in range(joint.type.nv)]
        return found

    def frictions(self, row: str) -> Mapping[str, str]:
        kinds = ("friction", "damping") if row in self.subject.joint_names else ()
        return {kind: f"{row}.{kind}" for kind in kinds}


@dataclass(frozen=True, eq=False)
class RobotMotors:
    """Motor constants, of joints or of actuators, and the code that runs of a log share."""

    model: IdentifiedRobot
    constants: Mapping[str, float]
    _acting: dict[tuple[bool, tuple[str, ...]], AppliedTorques] = field(default_factory=dict)

    @property
    def names(self) -> Mapping[str, list[str]]:
        joints, actuators = coordinate_names(self.model.subject)["tau"], self._actuators
        return {"tau": joints, "u": actuators, "i": actuators if self.are_actuators else joints}

    @property
    def _actuators(self) -> list[str]:
        return [actuator.name for actuator in self.model.subject.actuators]

    @property
    def are_actuators(self) -> bool:
        """Whether constants are those of actuators."""
        return bool(self.constants) and all(name in self._actuators for name in self.constants)

    @property
    def scale(self) -> Float[np.ndarray, " m"]:
        """Motor constants (N m/A, N/A), NaN where none is known. Raises InputError for what is no motor."""
        robot, actuators = self.model.subject, self._actuators
        found = np.full(len(actuators) if self.are_actuators else robot.nv, np.nan)
        for name, value in self.constants.items():
            if not self.are_actuators and name not in robot.joint_names:
                raise make_unknown_name_error("joint", name, robot.joint_names)
            found[actuators.index(name) if self.are_actuators else robot.v_slices[name]] = value
        return found

    @property
    def needed(self) -> Bool[np.ndarray, " m"]:
        """Columns of currents whose constant must be known: of trees all but floating bases."""
        robot = self.model.subject
        if self.are_actuators:
            return np.ones(len(self._actuators), dtype=bool)
        owners = [joint for joint in robot.joints for _ in range(joint.type.nv)]
        return np.array([not (robot.is_closed or joint.is_free) for joint in owners], dtype=bool)

    def is_idle(self, name: str) -> bool:
        """Return whether a coordinate without a column has no motor: a floating base's, and all in closed chains."""
        robot = self.model.subject
        if name not in self.names["tau"]:
            return False
        return robot.is_closed or robot.joint(name.rpartition("[")[0]).is_free

    def spread(self, array: Float[np.ndarray, "N n"]) -> Rows | None:
        """Return torques of all joints where those of the independent ones alone are given."""
        robot = self.model.subject
        if not robot.is_closed or array.shape[1] != len(independent_coordinates(robot)):
            return None
        parts: list[Rows | float] = [0.0] * robot.nv
        for place, column in zip(independent_coordinates(robot), array.T, strict=True):
            parts[place] = column
        return Columns(tuple(parts), len(array))

    def acting(self, by_actuators: bool, wrenches: Iterable[str]) -> AppliedTorques:
        """Return the code for logs with these quantities."""
        key = by_actuators, tuple(wrenches)
        if key not in self._acting:
            motors = compile_motor_torques(self.model.subject) if by_actuators else None
            self._acting[key] = AppliedTorques(motors, {name: self.model.wrench_jacobian(name) for name in key[1]})
        return self._acting[key]


def apply_parameters(robot: Robot, parameters: Sequence[Parameter], values: Float[np.ndarray, " k"]) -> Robot:
    """Return the robot with values of parameters; levels of friction are written to the joints."""
    ends = np.cumsum([len(p.nominal(robot)) for p in parameters])
    own = dict(zip(parameters, np.split(values, ends[:-1]), strict=True))
    found = with_values(robot, {p: v for p, v in own.items() if p.kind != "friction"})
    level = {p.part: float(v[0]) for p, v in own.items() if p.kind == "friction"}
    joints = tuple(replace(j, friction=level[j.name]) if j.name in level else j for j in found.joints)
    return replace(found, joints=joints)
