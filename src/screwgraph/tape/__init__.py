"""Scalar straight-line code that simplifies itself: what elimination writes and back ends read."""

from screwgraph.tape import residues, rows
from screwgraph.tape.derivative import gradient, hessian, jacobian
from screwgraph.tape.factor_out import factor_out
from screwgraph.tape.least_norm import least_norm, solve_positive
from screwgraph.tape.memory import Memory
from screwgraph.tape.needed import LEAVES, values_needed
from screwgraph.tape.nested import mapped
from screwgraph.tape.operations import OPERATIONS, Operation
from screwgraph.tape.program import Operations, Program, by_outputs, program, without_unused_inputs
from screwgraph.tape.routine import Block, Lookup, Loop, Part, Routine, When
from screwgraph.tape.rows import Row, dot, is_zero
from screwgraph.tape.scalar import Number, Scalar, apply, guard, reciprocal
from screwgraph.tape.substitute import depends_on, substituted
from screwgraph.tape.tape import SAMPLES, WIDE, Mark, Tape, tape_of

__all__ = [
    "LEAVES",
    "OPERATIONS",
    "SAMPLES",
    "WIDE",
    "Block",
    "Lookup",
    "Loop",
    "Mark",
    "Memory",
    "Number",
    "Operation",
    "Operations",
    "Part",
    "Program",
    "Routine",
    "Row",
    "Scalar",
    "Tape",
    "When",
    "apply",
    "by_outputs",
    "depends_on",
    "dot",
    "factor_out",
    "gradient",
    "guard",
    "hessian",
    "is_zero",
    "jacobian",
    "least_norm",
    "mapped",
    "program",
    "reciprocal",
    "residues",
    "rows",
    "solve_positive",
    "substituted",
    "tape_of",
    "values_needed",
    "without_unused_inputs",
]
