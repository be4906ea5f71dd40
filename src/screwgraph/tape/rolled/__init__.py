"""Code with loops: straight-line programs, products of matrices and recursions, one after the other in a memory."""

from screwgraph.tape.rolled.copies import Copies
from screwgraph.tape.rolled.fill import Fill
from screwgraph.tape.rolled.products import Products, Span, find_spans
from screwgraph.tape.rolled.recursion import SIX, WIDEST, Recursion, work_size
from screwgraph.tape.rolled.rolled import Code, Rolled, StraightLine, unroll_code
from screwgraph.tape.rolled.stage import Stage

__all__ = [
    "SIX",
    "WIDEST",
    "Code",
    "Copies",
    "Fill",
    "Products",
    "Recursion",
    "Rolled",
    "Span",
    "Stage",
    "StraightLine",
    "find_spans",
    "unroll_code",
    "work_size",
]
