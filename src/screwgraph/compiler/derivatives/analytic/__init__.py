"""Derivatives of a tree's dynamics in closed form, as straight-line code."""

from screwgraph.compiler.derivatives.analytic.composite_columns import LONG, mean_depth
from screwgraph.compiler.derivatives.analytic.mass_matrix import is_tree_mass_matrix, make_mass_matrix_code
from screwgraph.compiler.derivatives.analytic.second_order_problem import find_second_order
from screwgraph.compiler.derivatives.analytic.tree_problem import TreeProblem

__all__ = ["LONG", "TreeProblem", "find_second_order", "is_tree_mass_matrix", "make_mass_matrix_code", "mean_depth"]
