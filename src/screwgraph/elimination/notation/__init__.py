"""An elimination DAG as numbered assignments in the papers' notation: as text, LaTeX and HTML."""

from screwgraph.elimination.notation.forms import FORMS, accented, latex, symbol
from screwgraph.elimination.notation.listing import Line, lines

__all__ = ["FORMS", "Line", "accented", "latex", "lines", "symbol"]
