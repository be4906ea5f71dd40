"""Dynamics of robots whose joints are driven through transmissions: efforts of actuators in the place of torques."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics.actuation import check_drives, checked_weights
from screwgraph.dynamics.closed_chains import driven, in_coordinates
from screwgraph.dynamics.query import Query, without_torques
from screwgraph.errors import InputError
from screwgraph.graph import Key
from screwgraph.robot import Robot, actuation_matrix, actuators_of


def of_actuators(robot: Robot, names: Iterable[str] | None = None) -> tuple[Key, ...]:
    """Return one variable an actuator, by default of all. Raises InputError for unknown names, or if there is none."""
    if not robot.actuators:
        raise InputError(
            f"robot {robot.name!r} has no actuators",
            why="all torques are those of its joints",
            fix="add `actuators:` to its YAML file, or sg.robot.Transmission to robot.actuators",
        )
    chosen = None if names is None else tuple(dict.fromkeys(names))
    return tuple(Key("effort", actuator.name) for actuator in actuators_of(robot, chosen))


def no_actuators(asked: bool) -> None:
    """Raise InputError where actuators of a planar mechanism are asked for."""
    if asked:
        raise InputError("planar mechanisms have no actuators", why="motors act on their angles", fix="leave it out")


def caused_by_efforts(query: Query, coordinates: str) -> Query:
    """Return the forward query that takes efforts in the place of torques. Raises InputError."""
    efforts = of_actuators(query.robot)
    motion = tuple((name, keys) for name, keys in query.arguments if name != "tau")
    query = without_torques(in_coordinates(replace(query, arguments=motion), coordinates))
    arguments = (*query.arguments, ("effort", efforts))
    return replace(query, arguments=arguments, actuators=tuple(key.name for key in efforts))


def as_efforts(
    query: Query, coordinates: str, names: Iterable[str] | None, weights: Mapping[str, float] | None
) -> Query:
    """Return the inverse query that gives efforts, of all that cause the motion those with the least sum weight u^2.

    Raises:
        EliminationError: as `driven`.
        InputError: unknown actuators, bad weights, or a motion that none of these actuators drives.
    """
    robot, efforts = query.robot, of_actuators(query.robot, names)
    chosen = [key.name for key in efforts]
    weighted = checked_weights(chosen, weights or {}, "actuator")

    def arms(q: Float[np.ndarray, " nq"]) -> Float[np.ndarray, "n nv"]:
        return actuation_matrix(robot, q, chosen).T

    check_drives(robot, chosen, arms, "actuators")
    query = in_coordinates(query, coordinates)
    query = without_torques(driven(query) if robot.is_closed else query)
    return replace(query, result=efforts, actuators=tuple(chosen), weights=weighted)
