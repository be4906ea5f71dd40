"""The listing of an elimination: what was made of the laws, and back-substitution, as Algorithm 1 of the paper."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from screwgraph.elimination import Dag, Line
from screwgraph.elimination.notation import has_headings, to_latex
from screwgraph.ui.draw import style
from screwgraph.ui.draw.math_labels import escape_mathtext
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.scene import Scene, Text, text_width

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

WIDEST = 72
"""Characters of a formula; longer ones go on in the next line, before a plus or minus."""
HEIGHT, NUMBER, EQUALS, GAP = 21.0, 24.0, 12.0, 18.0
"""Of a line; widths of numbers and of the equals sign, and what is left before a remark (points)."""


def draw_algorithm(dag: Dag) -> Drawing:
    """Draw an elimination as numbered assignments. Xie & Dellaert (2019), Algorithm 1.

    Above them stand articulated or composite inertias, bias forces and pivots, where laws can be written so.
    """
    return render(algorithm_scene(dag))


def algorithm_scene(dag: Dag) -> Scene:
    """Arrange a listing; see `draw_algorithm`."""
    lines = dag.listing()
    start = NUMBER + max((_width(line.left) for line in lines), default=0.0)
    texts, y, last = [], 0.0, ""
    headed = has_headings(lines)
    noted = [_width(wrap_formula(line.right)[-1]) for line in lines if line.note]
    notes = start + EQUALS + 20.0 + max(noted, default=0.0) + GAP
    for line in lines:
        if headed and line.part != last:
            texts.append(Text(line.part, (0.0, y + 4.0), colour=style.FAINT))
            y += HEIGHT
        last = line.part
        rows = wrap_formula(line.right)
        texts += _line(line, rows, start, notes, y)
        y += HEIGHT * len(rows)
    return Scene(texts=tuple(texts))


def wrap_formula(formula: str, widest: int = WIDEST) -> list[str]:
    """Break a formula before a plus or minus, so that no row but one product has more characters."""
    rows = [""]
    for part in _summands(formula):
        if rows[-1] and len(rows[-1]) + len(part) > widest:
            rows.append("")
        rows[-1] += part
    return [row.strip() for row in rows]


def _summands(formula: str) -> Iterator[str]:
    """Yield pieces that begin with a plus or a minus, but for the first."""
    start = 0
    for i in range(1, len(formula)):
        if formula[i : i + 3] in (" + ", " − "):
            yield formula[start:i]
            start = i
    yield formula[start:]


def _line(line: Line, rows: Sequence[str], start: float, notes: float, y: float) -> Iterator[Text]:
    if line.number is not None:
        yield Text(str(line.number), (0.0, y), colour=style.FAINT)
    yield Text(_math(line.left), (start, y), "right", style.LABEL_SIZE - 1)
    yield Text("=", (start + EQUALS / 2 + 1.0, y), "center", style.LABEL_SIZE - 1)
    for i, row in enumerate(rows):
        indent = start + EQUALS + (4.0 if i == 0 else 20.0)
        yield Text(_math(row), (indent, y + i * HEIGHT), "left", style.LABEL_SIZE - 1)
    if line.note:
        row = y + (len(rows) - 1) * HEIGHT
        yield Text(escape_mathtext(line.note), (notes, row), "left", style.TEXT_SIZE, style.FAINT)


def _math(formula: str) -> str:
    return f"${to_latex(formula)}$"


def _width(formula: str) -> float:
    """Estimate the width of a formula (points), most of whose letters are small indices."""
    return 0.86 * text_width(_math(formula), style.LABEL_SIZE - 1)
