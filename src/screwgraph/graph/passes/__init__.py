"""Passes: a robot's graph is rewritten to one that takes fewer operations; edits of the graph stay as they are."""

from screwgraph.graph.passes.edit_absorption import absorb_edits
from screwgraph.graph.passes.lower import find_preserved, lower_model, rename_links
from screwgraph.graph.passes.registry import (
    GRAPH_PASSES,
    KEEPS_VARIABLES,
    ROBOT_PASSES,
    run_graph_passes,
    run_robot_passes,
)

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
