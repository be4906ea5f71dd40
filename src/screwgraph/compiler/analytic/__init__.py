"""Derivatives of a tree's dynamics in closed form, as straight-line code."""

from screwgraph.compiler.analytic.composite import LONG, depth
from screwgraph.compiler.analytic.further import further
from screwgraph.compiler.analytic.mass_matrix import is_of_tree, matrix_code
from screwgraph.compiler.analytic.program import TreeProblem

__all__ = ["LONG", "TreeProblem", "depth", "further", "is_of_tree", "matrix_code"]
