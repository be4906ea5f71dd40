"""Passes that make code cheaper without changing joint-space answers: robot -> robot, and graph -> graph.

A new one is a new file and a line in `ROBOT_PASSES`, which run in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from screwgraph.compiler.passes.canonical import canonical_frames
from screwgraph.compiler.passes.conventional import conventional_acceleration
from screwgraph.compiler.passes.elementary import elementary_transforms
from screwgraph.compiler.passes.regroup import regroup_inertia
from screwgraph.robot import Robot

ROBOT_PASSES: dict[str, Callable[[Robot], Robot]] = {
    "canonical frames": canonical_frames,
    "inertial regrouping": regroup_inertia,
    "elementary transforms": elementary_transforms,
}

KEEPS_LINKS = ("canonical frames", "inertial regrouping")
"""Passes after which the graph has the same variables, so that an order of the robot's own graph still fits."""


def improved(robot: Robot, passes: Iterable[str] = tuple(ROBOT_PASSES)) -> Robot:
    """Run robot passes by name, all of them unless told."""
    for name in passes:
        robot = ROBOT_PASSES[name](robot)
    return robot


__all__ = ["KEEPS_LINKS", "ROBOT_PASSES", "conventional_acceleration", "improved"]
