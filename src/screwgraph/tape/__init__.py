"""Scalar straight-line code that simplifies itself: what elimination writes and back ends read."""

from typing import TYPE_CHECKING

from screwgraph.base.deprecated import old_names
from screwgraph.tape import residues, sparse_rows
from screwgraph.tape.dependencies import LEAVES, values_needed
from screwgraph.tape.derivative import gradient, hessian, jacobian
from screwgraph.tape.factor_out import factor_out
from screwgraph.tape.least_norm import least_norm, solve_positive
from screwgraph.tape.memory_layout import Memory
from screwgraph.tape.operations import OPERATIONS, Operation
from screwgraph.tape.parts import (
    Block,
    Lookup,
    Loop,
    Part,
    Pick,
    Put,
    SettledWhen,
    SettlingLoop,
    SideBySide,
    StageLoop,
    When,
    Window,
)
from screwgraph.tape.program import Operations, Program, by_outputs, program, without_unused_inputs
from screwgraph.tape.routine import Code, Routine, format_operations
from screwgraph.tape.scalar import Number, Scalar, apply, guard, is_zero, reciprocal
from screwgraph.tape.sparse_rows import Row, dot
from screwgraph.tape.substitution import depends_on, substitute_scalars
from screwgraph.tape.tape import SAMPLES, WIDE, Mark, Tape, tape_of
from screwgraph.tape.tree_factor import TreeFactor, factor_tree
from screwgraph.tape.tree_map import map_nested

__all__ = [
    "LEAVES",
    "OPERATIONS",
    "SAMPLES",
    "WIDE",
    "Block",
    "Code",
    "Lookup",
    "Loop",
    "Mark",
    "Memory",
    "Number",
    "Operation",
    "Operations",
    "Part",
    "Pick",
    "Program",
    "Put",
    "Routine",
    "Row",
    "Scalar",
    "SettledWhen",
    "SettlingLoop",
    "SideBySide",
    "StageLoop",
    "Tape",
    "TreeFactor",
    "When",
    "Window",
    "apply",
    "by_outputs",
    "depends_on",
    "dot",
    "factor_out",
    "factor_tree",
    "format_operations",
    "gradient",
    "guard",
    "hessian",
    "is_zero",
    "jacobian",
    "least_norm",
    "map_nested",
    "program",
    "reciprocal",
    "residues",
    "solve_positive",
    "sparse_rows",
    "substitute_scalars",
    "tape_of",
    "values_needed",
    "without_unused_inputs",
]

if not TYPE_CHECKING:
    __getattr__ = old_names(__name__)
