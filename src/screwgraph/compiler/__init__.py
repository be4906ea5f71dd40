"""From problems and orders to functions of arrays: passes, straight-line code, machine code."""

from screwgraph.compiler.compile import Order, Problem, compile_problem, make_function
from screwgraph.compiler.function import Argument, Function
from screwgraph.compiler.passes import improved

__all__ = ["Argument", "Function", "Order", "Problem", "compile_problem", "improved", "make_function"]
