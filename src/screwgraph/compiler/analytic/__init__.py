"""Derivatives of a tree's dynamics in closed form, as straight-line code."""

from screwgraph.compiler.analytic.program import TreeProblem

__all__ = ["TreeProblem"]
