"""Robots: joints are what tasks name, torques act along all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from screwgraph.graph import FactorGraph, dynamics_graph
from screwgraph.model.robot import Robot, constraint_residual, units
from screwgraph.motion.planning.models.actuators import make_actuator_drive
from screwgraph.motion.planning.models.base import ModelKind
from screwgraph.motion.planning.models.coordinates import find_coordinates, label_coordinates
from screwgraph.motion.planning.models.drive import Drive, make_joint_drive
from screwgraph.spatial import vanishing

ROUNDED = 1e-6
"""How far (rad, m) positions may be beyond limits."""


def _turns(robot: Robot) -> list[bool]:
    return [unit == "N m" for joint in robot.joints for unit in units(joint.type).effort]


def _drive(robot: Robot, names: Sequence[str] | None) -> Drive:
    """Actuators where a robot has any, else all joints but floating ones; or what is named: actuators, or joints."""
    own = {actuator.name for actuator in robot.actuators}
    if own and (names is None or own.issuperset(names)):
        return make_actuator_drive(robot, names)
    if names is None:
        names = [joint.name for joint in robot.joints if joint.type.nv < 6]
    chosen = sorted({c for name in names for c in find_coordinates(robot, name, "joint to actuate")})
    return make_joint_drive(robot, chosen, label_coordinates(robot), _turns(robot), chosen, robot.nv)


def _effort_graph(robot: Robot, frames: Sequence[str]) -> tuple[FactorGraph, str]:
    return dynamics_graph(robot, frames), "tau"


def _closure_errors(robot: Robot, q: Any) -> Any:
    return constraint_residual(robot, q, size=vanishing)[list(robot.mobility.kept)]


def _is_assembled(robot: Robot, q: np.ndarray) -> bool:
    """Return whether no coordinate is beyond its limits."""
    return bool((robot.limits.lower <= q + ROUNDED).all() and (q - ROUNDED <= robot.limits.upper).all())


def _constraint_names(robot: Robot) -> list[str]:
    return [f"{row.of} {row.component}" for row in (robot.mobility.rows[i] for i in robot.mobility.kept)]


ROBOTS = ModelKind(
    as_robot=lambda robot: robot,
    model=lambda robot: robot,
    turns=_turns,
    drive=_drive,
    effort_graph=_effort_graph,
    closure_errors=_closure_errors,
    constraint_names=_constraint_names,
    is_assembled=_is_assembled,
    completed=lambda robot, q, given: q,
    completed_velocity=lambda robot, q, qd, given: qd,
    closed_path=lambda robot, q: q,
    ordering=lambda robot: "auto" if robot.is_closed else "articulated",
)
