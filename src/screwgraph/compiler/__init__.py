"""From graphs and orders to functions of arrays."""

from screwgraph.compiler.compile import compile_graph, make_function
from screwgraph.compiler.function import Argument, Function

__all__ = ["Argument", "Function", "compile_graph", "make_function"]
