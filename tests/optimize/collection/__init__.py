"""Standard problems of optimisation, written from their published formulas."""

from . import hock_schittkowski_1, hock_schittkowski_2, hock_schittkowski_3
from .least_squares import LEAST_SQUARES, LeastSquares
from .nlp import Nlp

PROGRAMS = (*hock_schittkowski_1.PROBLEMS, *hock_schittkowski_2.PROBLEMS, *hock_schittkowski_3.PROBLEMS)

__all__ = ["LEAST_SQUARES", "PROGRAMS", "LeastSquares", "Nlp"]
