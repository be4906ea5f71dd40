"""From a model with its edits to a graph that takes fewer operations, and gives the same answers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from screwgraph.doing import say
from screwgraph.graph import FactorGraph, Key, Model, graph_of, with_live_parameters
from screwgraph.lowering.registry import GRAPH_PASSES, ROBOT_PASSES, improved, improved_graph
from screwgraph.lowering.touched import Touched, renamed, tied, touched
from screwgraph.robot.parameters import symbolic


def lowered(model: Model, known: Iterable[Key], asked: Iterable[Key], passes: Sequence[str]) -> FactorGraph:
    """Return a model's graph after some passes, with its knowns declared.

    Variables of coordinates keep their names and meaning. So do those of links which are asked for, known, or bound to
    added factors; other variables of links are those of the links that passes make.

    Args:
        model: a robot and edits (`absorbed`).
        known: variables that are given.
        asked: variables whose values somebody wants.
        passes: names of passes; with none, the graph is the model's own.
    """
    say(f"rewriting the graph of {model.robot.name}")
    known = list(known)
    kept = touched(model, [*known, *asked]) if passes else Touched(())
    bound = symbolic(model.robot, model.parameters)
    robot = renamed(bound, kept.links) if kept.keys else bound
    chosen = [name for name in passes if name in ROBOT_PASSES]
    robot = improved(robot, chosen, kept.joint_wrenches)
    absent = frozenset((name, kept.renamed(key)) for name, key in model.absent)
    bare = replace(model, poses=kept.carriers(robot), variables=(), added=(), absent=absent)
    graph = tied(graph_of(bare, robot), robot, kept)
    graph = with_live_parameters(graph, model.robot, model.parameters)
    graph = graph.with_variables(*model.variables).with_factors(*model.added)
    present = [key for key in known if key in graph.variables]
    return improved_graph(graph, present, [name for name in passes if name in GRAPH_PASSES])
