"""Methods: one file each; a new one is a new file and a line in `METHODS`."""

from screwgraph.optimize.methods.augmented_lagrangian import AugmentedLagrangian
from screwgraph.optimize.methods.base import End, Method, Run, Tolerances
from screwgraph.optimize.methods.casadi_nlp import Ipopt
from screwgraph.optimize.methods.constraint_manifold import ConstraintManifold
from screwgraph.optimize.methods.dogleg import Dogleg
from screwgraph.optimize.methods.fatrop import Fatrop
from screwgraph.optimize.methods.gauss_newton import GaussNewton
from screwgraph.optimize.methods.interior_point import InteriorPoint
from screwgraph.optimize.methods.levenberg_marquardt import LevenbergMarquardt

UNCONSTRAINED = {
    "gauss_newton": GaussNewton(),
    "levenberg_marquardt": LevenbergMarquardt(),
    "dogleg": Dogleg(),
}
"""Methods for problems of soft factors only."""
SQUARES = (*UNCONSTRAINED, "augmented_lagrangian")
"""Methods that know all second derivatives of costs by their squares."""
METHODS = {
    **UNCONSTRAINED,
    "interior_point": InteriorPoint(),
    "augmented_lagrangian": AugmentedLagrangian(),
    "constraint_manifold": ConstraintManifold(),
    "ipopt": Ipopt(),
    "fatrop": Fatrop(),
}

__all__ = [
    "METHODS",
    "SQUARES",
    "UNCONSTRAINED",
    "AugmentedLagrangian",
    "ConstraintManifold",
    "Dogleg",
    "End",
    "Fatrop",
    "GaussNewton",
    "InteriorPoint",
    "Ipopt",
    "LevenbergMarquardt",
    "Method",
    "Run",
    "Tolerances",
]
