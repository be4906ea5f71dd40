"""From problems and orders to functions of arrays: passes, straight-line code, machine code."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.compiler.argument_domains import argument_domains
from screwgraph.compiler.backends import BACKENDS, Backend, ExportedFunction, Library, write_one_file_each
from screwgraph.compiler.backends.casadi import (
    casadi_function,
    casadi_module,
    casadi_of,
    casadi_program,
    casadi_template,
)
from screwgraph.compiler.backends.cuda import CudaFunction, DeviceArray
from screwgraph.compiler.backends.llvm import (
    CompiledProgram,
    CompiledStepLoop,
    StepLoop,
    compile_program,
    compile_step_loop,
)
from screwgraph.compiler.backends.llvm.tiering import VARIABLE as DRAFT_VARIABLE
from screwgraph.compiler.backends.llvm.tiering import is_tiering_up, wait_for_optimised
from screwgraph.compiler.cache import CachedCode
from screwgraph.compiler.compile import Order, compile_problem, make_function
from screwgraph.compiler.derivatives.tape_inputs import inputs_by_form
from screwgraph.compiler.expression import compile_expression
from screwgraph.compiler.function.block_layout import BlockedFunction
from screwgraph.compiler.function.function import Function
from screwgraph.compiler.function.function_exports import Exportable, library_code
from screwgraph.compiler.function.provenance import Provenance, make_direct_provenance
from screwgraph.compiler.function.sparsity import Sparsity
from screwgraph.compiler.graph_function import compile_graph, group_inputs
from screwgraph.compiler.problem.ordering_search import Search
from screwgraph.compiler.problem.problem import (
    Problem,
    argument,
    parameter_arguments,
    prior_factors,
    robot_arguments,
    without_metadata,
)
from screwgraph.compiler.schur_complement import compile_matrix
from screwgraph.compiler.signature import (
    PARAMETERS,
    Argument,
    Result,
    check_arrays,
    make_numbered_argument,
    set_nominal,
    validate_dtype,
)
from screwgraph.compiler.unit_quaternions import check_unit, normalise_inputs, quaternion_places

__all__ = [
    "BACKENDS",
    "DRAFT_VARIABLE",
    "PARAMETERS",
    "Argument",
    "Backend",
    "BlockedFunction",
    "CachedCode",
    "CompiledProgram",
    "CompiledStepLoop",
    "CudaFunction",
    "DeviceArray",
    "Exportable",
    "ExportedFunction",
    "Function",
    "Library",
    "Order",
    "Problem",
    "Provenance",
    "Result",
    "Search",
    "Sparsity",
    "StepLoop",
    "argument",
    "argument_domains",
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
    "compile_program",
    "compile_step_loop",
    "group_inputs",
    "inputs_by_form",
    "is_tiering_up",
    "library_code",
    "make_direct_provenance",
    "make_function",
    "make_numbered_argument",
    "normalise_inputs",
    "parameter_arguments",
    "prior_factors",
    "quaternion_places",
    "robot_arguments",
    "set_nominal",
    "validate_dtype",
    "wait_for_optimised",
    "without_metadata",
    "write_one_file_each",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
