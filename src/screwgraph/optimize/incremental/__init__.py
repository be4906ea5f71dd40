"""Problems that are edited while they are solved, on Bayes trees."""

from screwgraph.optimize.incremental.edited_problem import EditedProblem
from screwgraph.optimize.incremental.solver import Incremental, Updated

__all__ = ["EditedProblem", "Incremental", "Updated"]
