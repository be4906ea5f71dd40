"""Passes: a robot's graph is rewritten to one that takes fewer operations; edits of the graph stay as they are."""

from screwgraph.lowering.edit_absorption import absorb_edits
from screwgraph.lowering.lower import lower_model
from screwgraph.lowering.preserved_variables import find_preserved, rename_links
from screwgraph.lowering.registry import GRAPH_PASSES, KEEPS_VARIABLES, ROBOT_PASSES, run_graph_passes, run_robot_passes

__all__ = [
    "GRAPH_PASSES",
    "KEEPS_VARIABLES",
    "ROBOT_PASSES",
    "absorb_edits",
    "find_preserved",
    "lower_model",
    "rename_links",
    "run_graph_passes",
    "run_robot_passes",
]
