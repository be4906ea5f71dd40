"""Inverse, forward and hybrid dynamics, mass matrix, nonlinear effects: graph, what is given, what is asked."""

from screwgraph.mechanics.dynamics.base_parameters import BaseParameters, base_parameters
from screwgraph.mechanics.dynamics.bias import bias_forces
from screwgraph.mechanics.dynamics.forward import forward_dynamics
from screwgraph.mechanics.dynamics.hybrid import hybrid_dynamics
from screwgraph.mechanics.dynamics.independent_positions import closed_positions
from screwgraph.mechanics.dynamics.inverse import inverse_dynamics
from screwgraph.mechanics.dynamics.mass_matrix import mass_matrix
from screwgraph.mechanics.dynamics.regressor import linear_parameters, regressor

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
