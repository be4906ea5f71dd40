"""Graphs at one instant with costs and inequalities: what equations leave free is chosen in generated code."""

from screwgraph.optimize.stage.compile_stage import compile_stage

__all__ = ["compile_stage"]
