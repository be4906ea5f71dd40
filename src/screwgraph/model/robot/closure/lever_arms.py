"""How efforts of a robot's actuators act on its joints: tau = B(q) u, on every kind of number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.model.robot.actuator import Actuator, Lever
from screwgraph.model.robot.parts import Joint
from screwgraph.model.robot.quaternion_checks import check_unit
from screwgraph.model.robot.robot import Robot, make_unknown_name_error
from screwgraph.spatial import Array, finite_vector


def make_lever(robot: Robot, actuator: Actuator) -> Lever:
    """Return how an actuator acts on the joints of a robot."""
    return actuator.lever(robot)


def actuation_matrix(robot: Robot, q: ArrayLike, names: Sequence[str] | None = None) -> Float[np.ndarray, "nv n"]:
    """Return B (nv, n) at a position (nq,): tau = B u are the joint torques of efforts u of actuators, by default all.

    Raises:
        InputError: a position of another shape, a quaternion that is not unit, or no actuator has one of the names.
    """
    at = _validate_position(robot, q)
    chosen = actuators_of(robot, names)
    B = np.zeros((robot.nv, len(chosen)))
    for k, actuator in enumerate(chosen):
        for _, place, arm in list_arms(robot, actuator.lever(robot), at):
            B[place, k] = arm
    return B


def list_arms(robot: Robot, lever: Lever, q: Float[Array, " nq"]) -> Iterator[tuple[Joint, slice, Float[Array, " nv"]]]:
    """Yield each joint that a lever moves, the place of its torque in tau, and the torque there of an effort of 1."""
    for joint, arm in zip(lever.joints, lever.arms(positions_of(robot, lever, q)), strict=True):
        yield joint, robot.v_slices[joint.name], arm


def positions_of(robot: Robot, lever: Lever, q: Float[Array, " nq"]) -> list[Float[Array, " n"]]:
    """Return the positions of the joints that a lever moves. Raises InputError where a quaternion is not unit."""
    check_unit(robot, q)
    return [q[robot.q_slices[joint.name]] for joint in lever.joints]


def actuation_torques(robot: Robot, q: Float[Array, " nq"], u: Float[Array, " n"], names: Sequence[str] | None = None):
    """Return the joint torques (nv,) that inputs u (n,) of actuators, by default all, cause; numbers of any kind."""
    tau = np.zeros(robot.nv, dtype=np.result_type(np.asarray(q), np.asarray(u)))
    for actuator, given in zip(actuators_of(robot, names), u, strict=True):
        own = actuator.lever(robot)
        effort = own.effort(positions_of(robot, own, q), given)
        for _, place, arm in list_arms(robot, own, q):
            tau[place] = tau[place] + arm * effort
    return tau


def displacements(robot: Robot, q: ArrayLike, names: Sequence[str] | None = None) -> Float[np.ndarray, " n"]:
    """Return the displacements (n,) (rad, m) of actuators, by default all; NaN of those that have none.

    Raises:
        InputError: a position of another shape, a quaternion that is not unit, or no actuator has one of the names.
    """
    at = _validate_position(robot, q)
    levers = [actuator.lever(robot) for actuator in actuators_of(robot, names)]
    return np.array([float(own.displacement(positions_of(robot, own, at))) for own in levers])


def _validate_position(robot: Robot, q: ArrayLike) -> Float[np.ndarray, " nq"]:
    at = finite_vector(q, robot.nq, "q", f"the robot has nq = {robot.nq}")
    check_unit(robot, at)
    return at


def actuators_of(robot: Robot, names: Sequence[str] | None = None) -> tuple[Actuator, ...]:
    """Return actuators by name, by default all. Raises InputError where there is none of a name."""
    by_name = {actuator.name: actuator for actuator in robot.actuators}
    for name in by_name if names is None else names:
        if name not in by_name:
            raise make_unknown_name_error("actuator", name, by_name)
    return tuple(by_name[name] for name in (by_name if names is None else names))
