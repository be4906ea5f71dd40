"""Numbers of laws and bounds that are arguments of compiled functions: known variables of a graph."""

from __future__ import annotations

from dataclasses import replace

from screwgraph.base.errors import InputError
from screwgraph.graph.factor_graph import FactorGraph
from screwgraph.graph.variable import Key, Variable
from screwgraph.graph.variable_kinds import KINDS


def with_known(graph: FactorGraph, *variables: Variable) -> FactorGraph:
    """Return a graph with more variables, all of them given."""
    graph = graph.with_variables(*variables)
    return replace(graph, known=graph.known | {v.key for v in variables})


def with_argument(graph: FactorGraph, key: Key, dim: int, index: int) -> FactorGraph:
    """Return a graph with the numbers of a law as a given variable; its kind is the argument's name.

    Raises:
        InputError: the kind is one of mechanics, no name of an argument, or the graph has the variable already.
    """
    if key.kind in KINDS or not key.kind.isidentifier():
        raise InputError(f"an argument called {key.kind!r}", why="it is a word of one's own", fix='such as "sigma_tau"')
    if key in graph.variables:
        raise InputError(f"{key} is in the graph already", why="each law has numbers of its own", fix="another name")
    return with_known(graph, Variable(key, dim, index))
