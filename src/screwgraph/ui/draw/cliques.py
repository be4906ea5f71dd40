"""The clique (Bayes) tree: which variables are handled together."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING

from screwgraph.elimination import Clique, Dag
from screwgraph.graph import Key
from screwgraph.ui.draw import style
from screwgraph.ui.draw.legend import with_legend
from screwgraph.ui.draw.math_labels import make_labels
from screwgraph.ui.draw.render import render
from screwgraph.ui.draw.scene import Box, Edge, Scene, Text
from screwgraph.ui.draw.tree_layout import place_middles, place_tops

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing

CELL, LINE, PAD = 23.0, 21.0, 5.0
"""Space for one label, height of a line of labels, and what a box leaves around them."""
WIDEST = 8
"""Labels in a line."""
GAP, RISE = 16.0, 34.0
"""Between boxes, and between levels."""
EXPLANATION = "frontal variables : separator, shared with the clique above"


def draw_cliques(dag: Dag) -> Drawing:
    """Draw the clique tree of an elimination, its root on top; the title gives its width.

    A box holds the variables that end in the clique (in the colours of `draw_dag`), a colon, and those that it
    shares with the clique above. The width counts the numbers of the largest clique.
    """
    return render(cliques_scene(dag))


def cliques_scene(dag: Dag) -> Scene:
    """Arrange the clique tree; see `draw_cliques`."""
    tree = dag.cliques
    names = make_labels(dag.graph.variables.values())
    lines = [_lines(clique, names) for clique in tree.cliques]
    sizes = [(CELL * max(map(len, own)) + 2 * PAD, LINE * len(own) + 2 * PAD) for own in lines]
    parents = [clique.parent for clique in tree.cliques]
    x, y = place_middles(parents, [w for w, _ in sizes], GAP), place_tops(parents, [h for _, h in sizes], RISE)
    boxes = tuple(
        Box(clique_name(n), (x[n] - width / 2, y[n]), width, height) for n, (width, height) in enumerate(sizes)
    )
    edges = tuple(
        Edge(clique_name(p), clique_name(n), ((x[p], y[p] + sizes[p][1]), (x[n], y[n])), style.FAINT)
        for n, p in enumerate(parents)
        if p is not None
    )
    texts = tuple(text for n, own in enumerate(lines) for text in _write(own, x[n], y[n]))
    numbers, variables = tree.width, tree.block_width
    title = f"clique tree of width {numbers} ({variables} variable{'s' * (variables != 1)})"
    return with_legend(Scene(boxes, edges, texts=texts), [("", EXPLANATION, style.PLAIN)], title)


def clique_name(number: int) -> str:
    """Name the box of a clique."""
    return f"clique:{number}"


def _lines(clique: Clique, names: Mapping[Key, str]) -> list[list[tuple[str, str]]]:
    """Break the labels of a clique, with their colours, into lines."""
    tokens = [(names[key], style.colours(key.kind).line) for key in clique.frontals]
    if clique.separator:
        tokens += [(":", style.INK), *((names[key], style.FAINT) for key in clique.separator)]
    return [tokens[i : i + WIDEST] for i in range(0, len(tokens), WIDEST)]


def _write(lines: list[list[tuple[str, str]]], middle: float, top: float) -> Iterator[Text]:
    """Write lines of labels into a box."""
    for row, line in enumerate(lines):
        left, y = middle - CELL * (len(line) - 1) / 2, top + PAD + LINE * (row + 0.5)
        for i, (label, colour) in enumerate(line):
            yield Text(label, (left + CELL * i, y), "center", style.LABEL_SIZE, colour)
