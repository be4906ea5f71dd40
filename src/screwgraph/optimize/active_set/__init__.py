"""Convex quadratic programs of a few unknowns, solved in generated code by a dual active set."""

from screwgraph.optimize.active_set.quadratic_program import QuadraticProgram, compile_quadratic_program
from screwgraph.optimize.active_set.round_cones import RoundCone, RoundCones

__all__ = ["QuadraticProgram", "RoundCone", "RoundCones", "compile_quadratic_program"]
