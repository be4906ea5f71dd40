"""How efforts of a robot's actuators act on its joints: tau = B(q) u, on every kind of number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
from jaxtyping import Float
from numpy.typing import ArrayLike

from screwgraph.model.robot.actuator import Actuator, Lever
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
        own = actuator.lever(robot)
        for place, arm in _list_arms(robot, own, _positions_of(robot, own, at)):
            B[place, k] = arm
    return B


def linear_actuation(
    robot: Robot, q: Float[Array, " nq"], names: Sequence[str] | None = None
) -> tuple[Float[Array, "nv n"], Float[Array, " nv"]]:
    """Return B and rest of the joint torques B u + rest of inputs u of actuators, by default all; any numbers.

    Laws of force count as linear in their inputs. Raises InputError where a quaternion is not unit.
    """
    chosen, kind = actuators_of(robot, names), np.asarray(q).dtype
    B, rest = np.zeros((robot.nv, len(chosen)), dtype=kind), np.zeros(robot.nv, dtype=kind)
    for k, actuator in enumerate(chosen):
        own = actuator.lever(robot)
        at = _positions_of(robot, own, q)
        slope, still = own.slope(at), own.effort(at, 0.0)
        for place, arm in _list_arms(robot, own, at):
            B[place, k], rest[place] = arm * slope, rest[place] + arm * still
    return B, rest


def list_torques(
    robot: Robot, lever: Lever, q: Float[Array, " nq"], u: Any
) -> Iterator[tuple[slice, Float[Array, " nv"]]]:
    """Yield the torque at each joint that a lever moves, and its place in tau; u is the actuator's input.

    Raises InputError where a quaternion is not unit.
    """
    at = _positions_of(robot, lever, q)
    effort = lever.effort(at, u)
    for place, arm in _list_arms(robot, lever, at):
        yield place, arm * effort


def actuation_torques(robot: Robot, q: Float[Array, " nq"], u: Float[Array, " n"], names: Sequence[str] | None = None):
    """Return the joint torques (nv,) that inputs u (n,) of actuators, by default all, cause; numbers of any kind."""
    tau = np.zeros(robot.nv, dtype=np.result_type(np.asarray(q), np.asarray(u)))
    for actuator, given in zip(actuators_of(robot, names), u, strict=True):
        for place, torque in list_torques(robot, actuator.lever(robot), q, given):
            tau[place] = tau[place] + torque
    return tau


def displacements(robot: Robot, q: ArrayLike, names: Sequence[str] | None = None) -> Float[np.ndarray, " n"]:
    """Return the displacements (n,) (rad, m) of actuators, by default all; NaN of those that have none.

    Raises:
        InputError: a position of another shape, a quaternion that is not unit, or no actuator has one of the names.
    """
    at = _validate_position(robot, q)
    levers = [actuator.lever(robot) for actuator in actuators_of(robot, names)]
    return np.array([float(own.displacement(_positions_of(robot, own, at))) for own in levers])


def _list_arms(robot: Robot, lever: Lever, at: Sequence[Array]) -> Iterator[tuple[slice, Float[Array, " nv"]]]:
    """Yield the place in tau of each joint that a lever moves, and the torque there of an effort of 1."""
    for joint, arm in zip(lever.joints, lever.arms(at), strict=True):
        yield robot.v_slices[joint.name], arm


def _positions_of(robot: Robot, lever: Lever, q: Float[Array, " nq"]) -> list[Float[Array, " n"]]:
    """Return the positions of the joints that a lever moves. Raises InputError where a quaternion is not unit."""
    check_unit(robot, q)
    return [q[robot.q_slices[joint.name]] for joint in lever.joints]


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
