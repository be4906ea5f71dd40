"""Convex quadratic programs of chains of stages, solved in generated code by an interior point."""

from screwgraph.optimize.chain_program.bounds import Bound
from screwgraph.optimize.chain_program.chain_program import ChainProgram
from screwgraph.optimize.chain_program.function import compile_chain_program

__all__ = ["Bound", "ChainProgram", "compile_chain_program"]
