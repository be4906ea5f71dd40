"""An elimination DAG as numbered assignments in the papers' notation: as text, LaTeX and HTML."""

from screwgraph.elimination.notation.listing import Line, write_lines
from screwgraph.elimination.notation.rendering import FORMS, has_headings, latex_symbol, to_accented_html, to_latex

__all__ = ["FORMS", "Line", "has_headings", "latex_symbol", "to_accented_html", "to_latex", "write_lines"]
