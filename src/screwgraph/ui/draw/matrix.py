"""The block-sparse matrix of a linear problem (Xie & Dellaert (2019), Figs 4b, 6b, 9b)."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate, pairwise
from typing import TYPE_CHECKING

from screwgraph.base.errors import InputError
from screwgraph.graph import Factor, FactorGraph, Key
from screwgraph.ui.draw import style
from screwgraph.ui.draw.math_labels import escape_mathtext, make_labels
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.scene import Box, Scene, Text

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

PAD = 6.0


def draw_matrix(graph: FactorGraph, order: Sequence[str | Key] | None = None) -> Drawing:
    """Draw the block-sparse matrix of a graph. Xie & Dellaert (2019), Figs 4b, 6b, 9b.

    A row of blocks is a factor, a column an unknown; a block is filled where the factor touches the unknown,
    in the colour that the unknown has in `draw_dag`. Blocks grow with their numbers of rows and columns.

    Args:
        graph: the problem.
        order: all unknowns, from left to right (variables or kinds, whose knowns do not count); rows then
            follow their first column. By default the graph's own order.

    Raises:
        InputError: the order leaves out an unknown, or names what is not in the graph.
    """
    return render(matrix_scene(graph, order))


def matrix_scene(graph: FactorGraph, order: Sequence[str | Key] | None = None) -> Scene:
    """Arrange the matrix; see `draw_matrix`."""
    columns = [v.key for v in graph.unknowns] if order is None else _complete(graph, order)
    rows = list(graph.factors) if order is None else _staircase(graph, columns)
    names = make_labels(graph.variables.values())
    x = list(accumulate((_side(graph.variables[key].dim) for key in columns), initial=0.0))
    y = list(accumulate((_side(factor.rows) for factor in rows), initial=0.0))
    frame = Box("matrix", (0.0, 0.0), x[-1], y[-1], style.FRAME)
    boxes = (*_grid(x, y), *_blocks(graph, columns, rows, x, y), frame)
    above = [Text(names[key], ((x[j] + x[j + 1]) / 2, -PAD - 6.0), "center") for j, key in enumerate(columns)]
    beside = [
        Text(escape_mathtext(factor.name), (-PAD, (y[i] + y[i + 1]) / 2), "right") for i, factor in enumerate(rows)
    ]
    sizes = sum(f.rows for f in rows), sum(graph.variables[k].dim for k in columns)
    filled = sum(box.name.startswith("block") for box in boxes)
    caption = f"{sizes[0]} × {sizes[1]} numbers, {filled} of {len(rows) * len(columns)} blocks filled"
    return Scene(boxes, texts=(*above, *beside, Text(caption, (0.0, y[-1] + 18.0), colour=style.FAINT)))


def _side(dim: int) -> float:
    """Side of a block: grows with its numbers, and leaves room for a label where there is but one."""
    return 16.0 + 2.0 * dim


def _complete(graph: FactorGraph, order: Sequence[str | Key]) -> list[Key]:
    columns = [key for key in graph.select(order) if key not in graph.known]
    missing = [v.key for v in graph.unknowns if v.key not in columns]
    if missing:
        raise InputError(f"the order leaves out {', '.join(map(str, missing[:6]))}", fix="name all unknowns")
    return columns


def _staircase(graph: FactorGraph, columns: Sequence[Key]) -> list[Factor]:
    place = {key: j for j, key in enumerate(columns)}
    return sorted(graph.factors, key=lambda f: sorted(place[key] for key in graph.unknown_keys(f)))


def _grid(x: Sequence[float], y: Sequence[float]) -> list[Box]:
    """Faint lines that lead the eye to the labels."""
    across = [Box(f"row {i}", (0.0, a), x[-1], b - a, style.FAINT_FRAME, 0.6) for i, (a, b) in enumerate(pairwise(y))]
    down = [Box(f"column {j}", (a, 0.0), b - a, y[-1], style.FAINT_FRAME, 0.6) for j, (a, b) in enumerate(pairwise(x))]
    return [*across, *down]


def _blocks(
    graph: FactorGraph, columns: Sequence[Key], rows: Sequence[Factor], x: Sequence[float], y: Sequence[float]
) -> list[Box]:
    place = {key: j for j, key in enumerate(columns)}
    shades = {key: style.colours(key.kind) for key in columns}
    return [
        Box(
            f"block {factor.name} {key}",
            (x[place[key]], y[i]),
            x[place[key] + 1] - x[place[key]],
            y[i + 1] - y[i],
            style.Colours(shades[key].shade, shades[key].line),
        )
        for i, factor in enumerate(rows)
        for key in graph.unknown_keys(factor)
    ]
