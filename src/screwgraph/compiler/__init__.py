"""From problems and orders to functions of arrays: passes, straight-line code, machine code."""

from screwgraph.compiler.backends import BACKENDS, Backend, Library, Listing, one_file_each
from screwgraph.compiler.backends.casadi import (
    casadi_function,
    casadi_module,
    casadi_of,
    casadi_program,
    casadi_template,
)
from screwgraph.compiler.backends.cuda import CudaFunction, DeviceArray
from screwgraph.compiler.backends.llvm import (
    Compiled,
    March,
    Marching,
    compiled,
    marching,
)
from screwgraph.compiler.backends.llvm.draft import VARIABLE as DRAFT_VARIABLE
from screwgraph.compiler.backends.llvm.draft import is_improving, settle
from screwgraph.compiler.blocked import BlockedFunction
from screwgraph.compiler.cache import Made
from screwgraph.compiler.compile import Order, compile_problem, make_function
from screwgraph.compiler.expression import compile_expression
from screwgraph.compiler.function import Function
from screwgraph.compiler.graphs import compile_graph
from screwgraph.compiler.inputs import inputs_by_form
from screwgraph.compiler.library import Exportable, library_code
from screwgraph.compiler.matrix import compile_matrix
from screwgraph.compiler.numbers import dtype_name
from screwgraph.compiler.origin import Origin
from screwgraph.compiler.problem import Problem, argument, at, parameter_arguments, robot_arguments, without_metadata
from screwgraph.compiler.searched import Search
from screwgraph.compiler.signature import PARAMETERS, Argument, Result, check_arrays, numbered
from screwgraph.compiler.sparsity import Sparsity
from screwgraph.compiler.unit import check_unit, normalising, quaternion_places

__all__ = [
    "BACKENDS",
    "DRAFT_VARIABLE",
    "PARAMETERS",
    "Argument",
    "Backend",
    "BlockedFunction",
    "Compiled",
    "CudaFunction",
    "DeviceArray",
    "Exportable",
    "Function",
    "Library",
    "Listing",
    "Made",
    "March",
    "Marching",
    "Order",
    "Origin",
    "Problem",
    "Result",
    "Search",
    "Sparsity",
    "argument",
    "at",
    "casadi_function",
    "casadi_module",
    "casadi_of",
    "casadi_program",
    "casadi_template",
    "check_arrays",
    "check_unit",
    "compile_expression",
    "compile_graph",
    "compile_matrix",
    "compile_problem",
    "compiled",
    "dtype_name",
    "inputs_by_form",
    "is_improving",
    "library_code",
    "make_function",
    "marching",
    "normalising",
    "numbered",
    "one_file_each",
    "parameter_arguments",
    "quaternion_places",
    "robot_arguments",
    "settle",
    "without_metadata",
]
