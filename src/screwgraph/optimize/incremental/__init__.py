"""Problems that are edited while they are solved, on a Bayes tree."""

from screwgraph.optimize.incremental.solver import Incremental, Updated

__all__ = ["Incremental", "Updated"]
