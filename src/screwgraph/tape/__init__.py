"""Scalar straight-line code that simplifies itself: what elimination writes and back ends read."""

from screwgraph.tape.derivative import Row, gradient, hessian, jacobian
from screwgraph.tape.factor_out import factor_out
from screwgraph.tape.operations import OPERATIONS, Operation
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.scalar import SAMPLES, WIDE, Mark, Number, Scalar, Tape, apply, reciprocal

__all__ = [
    "OPERATIONS",
    "SAMPLES",
    "WIDE",
    "Mark",
    "Number",
    "Operation",
    "Operations",
    "Program",
    "Row",
    "Scalar",
    "Tape",
    "apply",
    "factor_out",
    "gradient",
    "hessian",
    "jacobian",
    "program",
    "reciprocal",
]
