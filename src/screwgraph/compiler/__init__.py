"""From problems and orders to functions of arrays: passes, straight-line code, machine code."""

from screwgraph.compiler.actuated import actuated
from screwgraph.compiler.cache import Made
from screwgraph.compiler.closed import check_free, driven, driving_joints, in_independent_coordinates
from screwgraph.compiler.compile import Order, compile_problem, make_function
from screwgraph.compiler.expressions import casadi_program
from screwgraph.compiler.function import Argument, Function, Origin
from screwgraph.compiler.graphs import compile_graph
from screwgraph.compiler.llvm import March, Marching, Settle, Stage, compiled, marching
from screwgraph.compiler.problem import Problem, robot_arguments, without_metadata
from screwgraph.compiler.searched import Search
from screwgraph.compiler.validation import stable
from screwgraph.lowering import ROBOT_PASSES, improved

__all__ = [
    "ROBOT_PASSES",
    "Argument",
    "Function",
    "Made",
    "March",
    "Marching",
    "Order",
    "Origin",
    "Problem",
    "Search",
    "Settle",
    "Stage",
    "actuated",
    "casadi_program",
    "check_free",
    "compile_graph",
    "compile_problem",
    "compiled",
    "driven",
    "driving_joints",
    "improved",
    "in_independent_coordinates",
    "make_function",
    "marching",
    "robot_arguments",
    "stable",
    "without_metadata",
]
