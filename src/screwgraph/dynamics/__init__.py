"""Inverse, forward and hybrid dynamics, mass matrix, nonlinear effects: graph, what is given, what is asked."""

from screwgraph.dynamics.base_parameters import BaseParameters, base_parameters
from screwgraph.dynamics.bias import bias_forces
from screwgraph.dynamics.forward import forward_dynamics
from screwgraph.dynamics.hybrid import hybrid_dynamics
from screwgraph.dynamics.independent_positions import closed_positions
from screwgraph.dynamics.inverse import inverse_dynamics
from screwgraph.dynamics.mass_matrix import mass_matrix
from screwgraph.dynamics.regressor import linear_parameters, regressor

__all__ = [
    "BaseParameters",
    "base_parameters",
    "bias_forces",
    "closed_positions",
    "forward_dynamics",
    "hybrid_dynamics",
    "inverse_dynamics",
    "linear_parameters",
    "mass_matrix",
    "regressor",
]
