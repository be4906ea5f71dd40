"""Fronts of an elimination tree: ordering, assembly, factorisation, substitution, covariances; a Bayes tree of them."""

from screwgraph.optimize.fronts.bayes_tree import BayesTree
from screwgraph.optimize.fronts.conditionals import Conditional

__all__ = ["BayesTree", "Conditional"]
