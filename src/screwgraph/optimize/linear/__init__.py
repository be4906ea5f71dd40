"""Structured linear algebra for least squares over time: dense, chain, arrow, sparse; with hard equalities."""

from screwgraph.compiler.kernels.dense import Gram, make_gram
from screwgraph.optimize.linear.pattern import Pattern
from screwgraph.optimize.linear.regularise import LIGHT
from screwgraph.optimize.linear.row_groups import RowGroups, RowPattern
from screwgraph.optimize.linear.row_products import MatrixEntries
from screwgraph.optimize.linear.system import Factored, System, analyse
from screwgraph.optimize.singular_error import SingularError

__all__ = [
    "LIGHT",
    "Factored",
    "Gram",
    "MatrixEntries",
    "Pattern",
    "RowGroups",
    "RowPattern",
    "SingularError",
    "System",
    "analyse",
    "make_gram",
]
