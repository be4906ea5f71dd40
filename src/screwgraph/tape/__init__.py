"""Scalar straight-line code that simplifies itself: what elimination writes and back ends read."""

from screwgraph.tape.factor_out import factor_out
from screwgraph.tape.functions import FUNCTIONS
from screwgraph.tape.program import Operations, Program, program
from screwgraph.tape.scalar import SAMPLES, WIDE, Mark, Number, Scalar, Tape, reciprocal

__all__ = [
    "FUNCTIONS",
    "SAMPLES",
    "WIDE",
    "Mark",
    "Number",
    "Operations",
    "Program",
    "Scalar",
    "Tape",
    "factor_out",
    "program",
    "reciprocal",
]
