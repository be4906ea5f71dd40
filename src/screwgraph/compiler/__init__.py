"""From problems and orders to functions of arrays: passes, straight-line code, machine code."""

from screwgraph.compiler.compile import Order, Problem, compile_problem, make_function
from screwgraph.compiler.function import Argument, Function, Origin
from screwgraph.compiler.passes import ROBOT_PASSES, improved

__all__ = [
    "ROBOT_PASSES",
    "Argument",
    "Function",
    "Order",
    "Origin",
    "Problem",
    "compile_problem",
    "improved",
    "make_function",
]
