"""From a model with its edits to a graph that takes fewer operations, and gives the same answers.

Variables of links that a graph must keep stay as they are, though passes change the links.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from screwgraph.base.progress_report import report_progress
from screwgraph.graph import (
    EditedModel,
    Factor,
    FactorGraph,
    Key,
    Role,
    Template,
    graph_of,
    vector_variable,
    with_live_parameters,
)
from screwgraph.graph.factors import frame_pose
from screwgraph.graph.passes.frame_laws import frame_acceleration, frame_gravity, frame_twist, frame_wrench
from screwgraph.graph.passes.registry import GRAPH_PASSES, ROBOT_PASSES, run_graph_passes, run_robot_passes
from screwgraph.model.robot import Frame, Robot
from screwgraph.model.robot.parameters import symbolic

MARK = "*"
"""Ends the names of links whose own variables are kept beside those that passes make."""

LAWS: Mapping[Role, tuple[Template, str, int]] = {
    Role.POSE: (frame_pose, "T", 12),
    Role.TWIST: (frame_twist, "V", 6),
    Role.ACCELERATION: (frame_acceleration, "Vdot", 6),
    Role.WRENCH: (frame_wrench, "F", 6),
    Role.FIELD: (frame_gravity, "g", 3),
}
"""By role: the law that ties the variable to the one that passes make, the name of its argument, its size."""


def lower_model(model: EditedModel, known: Iterable[Key], asked: Iterable[Key], passes: Sequence[str]) -> FactorGraph:
    """Return a model's graph after some passes, with its knowns declared.

    Variables of coordinates keep their names and meaning. So do those of links which are asked for, known, or bound to
    added factors; other variables of links are those of the links that passes make.

    Args:
        model: a robot and edits (`absorbed`).
        known: variables that are given.
        asked: variables whose values somebody wants.
        passes: names of passes; with none, the graph is the model's own.
    """
    report_progress(f"rewriting the graph of {model.robot.name}")
    known = list(known)
    kept = find_preserved(model, [*known, *asked]) if passes else PreservedVariables(())
    bound = symbolic(model.robot, model.parameters)
    robot = rename_links(bound, kept.links) if kept.keys else bound
    chosen = [name for name in passes if name in ROBOT_PASSES]
    robot = run_robot_passes(robot, chosen, kept.joint_wrenches)
    absent = frozenset((name, kept.rename(key)) for name, key in model.absent)
    bare = replace(model, poses=kept.carriers(robot), variables=(), added=(), absent=absent)
    graph = bind_preserved(graph_of(bare, robot), robot, kept)
    graph = with_live_parameters(graph, model.robot, model.parameters)
    graph = graph.with_variables(*model.variables).with_factors(*model.added)
    present = [key for key in known if key in graph.variables]
    return run_graph_passes(graph, present, [name for name in passes if name in GRAPH_PASSES])


@dataclass(frozen=True, eq=False)
class PreservedVariables:
    """Variables of links, and which links passes may know by another name only."""

    keys: tuple[Key, ...]

    @property
    def links(self) -> frozenset[str]:
        """The links that they belong to."""
        return frozenset(key.name for key in self.keys)

    def rename(self, key: Key) -> Key:
        """Return the variable of a link as passes know it."""
        return Key(key.kind, key.name + MARK) if key.role in LAWS and key.name in self.links else key

    def carriers(self, robot: Robot) -> tuple[str, ...]:
        """Return the links of a robot that passes made on which frames lie whose poses are kept."""
        return tuple(dict.fromkeys(robot.frame(key.name).link for key in self.keys if key.role is Role.POSE))

    @property
    def joint_wrenches(self) -> frozenset[str]:
        """Links, as passes know them, the wrenches of whose joints are kept."""
        return frozenset(key.name + MARK for key in self.keys if key.role is Role.WRENCH)


def find_preserved(model: EditedModel, others: Iterable[Key]) -> PreservedVariables:
    """Return the variables of links to which added factors are bound, and those among `others`."""
    named = {link.name for link in model.robot.links} | {frame.name for frame in model.robot.frames}
    keys = [*(key for f in model.added for key in f.keys), *others]
    return PreservedVariables(tuple(dict.fromkeys(key for key in keys if key.role in LAWS and key.name in named)))


def rename_links(robot: Robot, links: frozenset[str]) -> Robot:
    """Return a robot some of whose links have another name; their old names are frames on them."""
    chosen = [link.name for link in robot.links if link.name in links]
    new = {link.name: link.name + MARK if link.name in links else link.name for link in robot.links}
    frames = [replace(frame, link=new[frame.link]) for frame in robot.frames if frame.name not in chosen]
    return replace(
        robot,
        links=tuple(replace(link, name=new[link.name]) for link in robot.links),
        joints=tuple(replace(j, parent=new[j.parent], child=new[j.child]) for j in robot.joints),
        frames=(*frames, *(Frame(name, new[name], np.eye(4)) for name in chosen)),
        loops=tuple(replace(o, predecessor=new[o.predecessor], successor=new[o.successor]) for o in robot.loops),
    )


def bind_preserved(graph: FactorGraph, robot: Robot, kept: PreservedVariables) -> FactorGraph:
    """Add the variables that are kept, and the laws that tie them to those of a robot that passes made."""
    for key in kept.keys:
        template, argument, dim = LAWS[key.role]
        frame = robot.frame(key.name)
        index = robot.link_index(frame.link)
        link = f"{argument}_link" if template is frame_pose else argument
        arguments: Any = {f"{argument}_frame": key, link: Key(key.kind, frame.link)}
        graph = graph.with_variables(vector_variable(key.kind, key.name, dim, index, None))
        graph = graph.with_factors(Factor(template, arguments, dim, index, {"T": frame.T_lf}))
    return graph
