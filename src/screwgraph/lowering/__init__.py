"""Passes: a robot's graph is rewritten to one that takes fewer operations; edits of the graph stay as they are."""

from screwgraph.lowering.absorb import absorbed
from screwgraph.lowering.lower import lowered
from screwgraph.lowering.registry import GRAPH_PASSES, KEEPS_VARIABLES, ROBOT_PASSES, improved, improved_graph
from screwgraph.lowering.touched import renamed, touched

__all__ = [
    "GRAPH_PASSES",
    "KEEPS_VARIABLES",
    "ROBOT_PASSES",
    "absorbed",
    "improved",
    "improved_graph",
    "lowered",
    "renamed",
    "touched",
]
