"""Robots: joints are what tasks name, torques act along all of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from screwgraph.graph import FactorGraph, dynamics_graph
from screwgraph.plan.models.base import ModelKind, Torques
from screwgraph.robot import Robot, constraint_residual, units
from screwgraph.spatial import vanishing


def _units(robot: Robot) -> list[str]:
    return [unit for joint in robot.joints for unit in units(joint.type).velocity]


def _actuated(robot: Robot) -> tuple[int, ...]:
    """All but the coordinates of a floating base."""
    slices = [robot.v_slices[joint.name] for joint in robot.joints if joint.type.nv < 6]
    return tuple(i for part in slices for i in range(part.start, part.stop))


def _effort_graph(robot: Robot, frames: Sequence[str]) -> tuple[FactorGraph, str]:
    return dynamics_graph(robot, frames), "tau"


def _closure_errors(robot: Robot, q: Any) -> Any:
    return constraint_residual(robot, q, size=vanishing)[list(robot.mobility.kept)]


ROBOTS = ModelKind(
    given=Robot,
    held=Robot,
    as_robot=lambda robot: robot,
    model=lambda robot: robot,
    has_bodies=True,
    units=_units,
    actuated=_actuated,
    torques=lambda robot, actuated: Torques(robot.nv, actuated),
    effort_graph=_effort_graph,
    closure_errors=_closure_errors,
    completed=lambda robot, q, given: q,
    completed_velocity=lambda robot, q, qd, given: qd,
    closed_path=lambda robot, q: q,
    ordering=lambda robot: "auto" if robot.is_closed else "articulated",
)
