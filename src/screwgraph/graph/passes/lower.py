"""From a model with its edits to a graph that takes fewer operations, and gives the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from screwgraph.base.progress_report import report_progress
from screwgraph.graph import EditedModel, FactorGraph, Key, graph_of, with_live_parameters
from screwgraph.graph.passes.preserved_variables import PreservedVariables, bind_preserved, find_preserved, rename_links
from screwgraph.graph.passes.registry import GRAPH_PASSES, ROBOT_PASSES, run_graph_passes, run_robot_passes
from screwgraph.model.robot.parameters import symbolic


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
