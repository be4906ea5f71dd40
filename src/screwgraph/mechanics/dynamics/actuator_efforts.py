"""Dynamics of robots whose joints are driven through transmissions: efforts of actuators in the place of torques."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.graph import Key
from screwgraph.mechanics.dynamics.bounded_efforts import check_linear
from screwgraph.mechanics.dynamics.closed_chains import convert_coordinates, drive_independent_joints
from screwgraph.mechanics.dynamics.query import Query, without_torques
from screwgraph.mechanics.dynamics.redundant_actuation import check_drives, validate_weights
from screwgraph.model.robot import Robot, actuation_matrix, actuators_of


def actuator_variables(robot: Robot, names: Iterable[str] | None = None) -> tuple[Key, ...]:
    """Return one variable an actuator, by default of all. Raises InputError for unknown names, or if there is none."""
    if not robot.actuators:
        raise InputError(
            f"robot {robot.name!r} has no actuators",
            why="all torques are those of its joints",
            fix="add `actuators:` to its YAML file, or sg.robot.Transmission to robot.actuators",
        )
    chosen = None if names is None else tuple(dict.fromkeys(names))
    return tuple(Key("effort", actuator.name) for actuator in actuators_of(robot, chosen))


def refuse_actuators(asked: bool) -> None:
    """Raise InputError where actuators of a planar mechanism are asked for."""
    if asked:
        raise InputError("mechanisms have no actuators", why="motors act on their angles", fix="leave it out")


def take_efforts(query: Query, coordinates: str) -> Query:
    """Return the forward query that takes efforts in the place of torques. Raises InputError."""
    efforts = actuator_variables(query.robot)
    motion = tuple((name, keys) for name, keys in query.arguments if name != "tau")
    query = without_torques(convert_coordinates(replace(query, arguments=motion), coordinates))
    arguments = (*query.arguments, ("effort", efforts))
    return replace(query, arguments=arguments, actuators=tuple(key.name for key in efforts))


def return_efforts(
    query: Query, coordinates: str, names: Iterable[str] | None, weights: Mapping[str, float] | None
) -> Query:
    """Return the inverse query that gives efforts, of all that cause the motion those with the least sum weight u^2.

    Raises:
        EliminationError: as `drive_independent_joints`.
        InputError: unknown actuators, bad weights, or a motion that none of these actuators drives.
    """
    robot, efforts = query.robot, actuator_variables(query.robot, names)
    chosen = [key.name for key in efforts]
    weighted = validate_weights(chosen, weights or {}, "actuator")

    def arms(q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "n nv"]:
        return actuation_matrix(robot, q, chosen).T

    check_drives(robot, chosen, arms, "actuators")
    check_linear(robot, chosen)
    query = convert_coordinates(query, coordinates)
    query = without_torques(drive_independent_joints(query) if robot.is_closed else query)
    return replace(query, result=efforts, actuators=tuple(chosen), weights=weighted)
