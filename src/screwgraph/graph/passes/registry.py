"""Passes that make code cheaper without changing joint-space answers: robot -> robot, and graph -> graph.

A new one is a new file and a line in `ROBOT_PASSES` or `GRAPH_PASSES`, which run in this order.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable

from screwgraph.base.progress_report import report_progress
from screwgraph.graph import FactorGraph, Key
from screwgraph.graph.passes.bias_acceleration import bias_accelerations
from screwgraph.graph.passes.canonical_frames import canonical_frames
from screwgraph.graph.passes.conventional_acceleration import conventional_acceleration
from screwgraph.graph.passes.elementary_transforms import elementary_transforms
from screwgraph.graph.passes.inertial_regrouping import regroup_inertia
from screwgraph.graph.passes.known_accelerations import derive_known_accelerations
from screwgraph.graph.passes.second_moments import flatten_second_moments
from screwgraph.model.robot import Robot, share_analysis

ROBOT_PASSES: dict[str, Callable[[Robot, Collection[str]], Robot]] = {
    "canonical frames": canonical_frames,
    "inertial regrouping": regroup_inertia,
    "second moments": flatten_second_moments,
    "elementary transforms": elementary_transforms,
}
"""Functions of a robot and of the links whose joints' wrenches must keep their meaning."""

GRAPH_PASSES: dict[str, Callable[[FactorGraph], FactorGraph]] = {
    "conventional accelerations": conventional_acceleration,
    "known accelerations": derive_known_accelerations,
    "bias accelerations": bias_accelerations,
}
BEFORE_KNOWNS = ("conventional accelerations",)
"""Graph passes that look at variables before it is said which are known."""

KEEPS_VARIABLES = ("canonical frames", "inertial regrouping", "conventional accelerations")
"""Passes after which the graph has the same unknowns, so that an order of the robot's own graph still fits."""


def run_robot_passes(robot: Robot, passes: Iterable[str] = tuple(ROBOT_PASSES), keep: Collection[str] = ()) -> Robot:
    """Run robot passes by name, by default all of them; wrenches of the joints of links in `keep` stay as they are."""
    made = robot
    for name in passes:
        report_progress(f"rewriting {robot.name}: {name}")
        made = ROBOT_PASSES[name](made, keep)
    return share_analysis(robot, made) if robot.is_closed and made is not robot else made


def run_graph_passes(graph: FactorGraph, known: Iterable[str | Key], passes: Iterable[str]) -> FactorGraph:
    """Declare knowns, and run graph passes by name before and after."""
    passes = list(passes)
    before, after = ([name for name in passes if (name in BEFORE_KNOWNS) == early] for early in (True, False))
    for name in before:
        graph = GRAPH_PASSES[name](graph)
    graph = graph.given(*known)
    for name in after:
        report_progress(f"rewriting the graph: {name}")
        graph = GRAPH_PASSES[name](graph)
    return graph
