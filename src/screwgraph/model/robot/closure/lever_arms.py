"""How efforts of actuators act on joints: the columns of B(q) in tau = B(q) u, on every kind of number."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.model.robot.actuators import Actuator, LoopMotor, Thruster
from screwgraph.model.robot.closure.loop_chain import Chain, chain_of
from screwgraph.model.robot.coupling import Coupling
from screwgraph.model.robot.parts import Joint
from screwgraph.model.robot.quaternion_checks import check_unit
from screwgraph.model.robot.robot import Robot, make_unknown_name_error
from screwgraph.spatial import Array, finite_vector, vector


@dataclass(frozen=True, eq=False)
class DisplacementLever:
    """The lever arms of an actuator whose displacement is a function of positions, on the `joints` that move."""

    displacement: Coupling
    joints: tuple[Joint, ...]

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        """Return, for positions of `joints`, the torques at each that an effort of 1 causes."""
        at = {joint.name: position[0] for joint, position in zip(self.joints, q, strict=True)}
        names = self.displacement.joints
        slopes = dict(zip(names, self.displacement.gradient(vector([at.get(n, 0.0) for n in names])), strict=True))
        return [vector([slopes[joint.name]]) for joint in self.joints]


@dataclass(frozen=True, eq=False)
class LoopLever:
    """The lever arms of a motor on a loop joint: it turns the successor, and the predecessor back."""

    chain: Chain

    @property
    def joints(self) -> tuple[Joint, ...]:
        """The joints around the loop."""
        return self.chain.joints

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        """Return, for positions of `joints`, the torques at each that an effort of 1 causes."""
        kind = self.chain.loop.type
        A = np.asarray(kind.screw_axes(kind.manifold.identity()), dtype=float)[:, 0]
        torques = self.chain.screws(q, self.chain.poses(q)).T @ (A / (A @ A))
        ends = np.cumsum([joint.type.nv for joint in self.joints])
        return [torques[end - joint.type.nv : end] for joint, end in zip(self.joints, ends, strict=True)]


@dataclass(frozen=True, eq=False)
class ConstantLever:
    """The lever arms of a thruster, on coordinates of `joints`."""

    joints: tuple[Joint, ...]
    constant: tuple[tuple[float, ...], ...]

    def arms(self, q: Sequence[Float[Array, " nq"]]) -> list[Float[Array, " nv"]]:
        """Return, for positions of `joints`, the torques at each that an effort of 1 causes."""
        return [vector(list(arms)) for arms in self.constant]


Lever = DisplacementLever | LoopLever | ConstantLever


def make_lever(robot: Robot, actuator: Actuator) -> Lever:
    """Return how an actuator acts on the joints of a robot."""
    if isinstance(actuator, LoopMotor):
        return LoopLever(chain_of(robot, next(loop for loop in robot.loops if loop.name == actuator.loop)))
    if isinstance(actuator, Thruster):
        pushed = tuple(robot.joint(name) for name in actuator.places)
        arms = (tuple(actuator.places[j.name].get(i, 0.0) for i in range(j.type.nv)) for j in pushed)
        return ConstantLever(pushed, tuple(arms))
    joints = (robot.joint(name) for name in actuator.displacement.joints)
    return DisplacementLever(actuator.displacement, tuple(joint for joint in joints if joint.type.nv))


def actuation_matrix(robot: Robot, q: ArrayLike, names: Sequence[str] | None = None) -> Float[np.ndarray, "nv n"]:
    """Return B (nv, n) at a position (nq,): tau = B u are the joint torques of efforts u of actuators, by default all.

    Raises:
        InputError: a position of another shape, a quaternion that is not unit, or no actuator has one of the names.
    """
    at = finite_vector(q, robot.nq, "q", f"the robot has nq = {robot.nq}")
    check_unit(robot, at)
    chosen = actuators_of(robot, names)
    B = np.zeros((robot.nv, len(chosen)))
    for k, actuator in enumerate(chosen):
        own = make_lever(robot, actuator)
        for joint, arm in zip(own.joints, own.arms([at[robot.q_slices[j.name]] for j in own.joints]), strict=True):
            B[robot.v_slices[joint.name], k] = arm
    return B


def actuators_of(robot: Robot, names: Sequence[str] | None = None) -> tuple[Actuator, ...]:
    """Return actuators by name, by default all. Raises InputError where there is none of a name."""
    by_name = {actuator.name: actuator for actuator in robot.actuators}
    for name in by_name if names is None else names:
        if name not in by_name:
            raise make_unknown_name_error("actuator", name, by_name)
    return tuple(by_name[name] for name in (by_name if names is None else names))
