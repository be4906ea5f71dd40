"""A factor graph: drawn, and its variables and factors counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator

from screwgraph.graph import FactorGraph
from screwgraph.ui.notebook.html_elements import embed_figure, fold_content, make_table

MOST_DRAWN = 150
"""Unknowns of graphs that are drawn; larger ones fill several screens."""


def title(graph: FactorGraph) -> str:
    """Say how large it is."""
    return f"factor graph: {len(graph.unknowns)} unknown variables, {len(graph.factors)} factors"


def tables(graph: FactorGraph) -> Iterator[str]:
    """Yield how many variables of each kind, and how many factors of each law there are."""
    kinds = Counter((key.kind, key in graph.known) for key in graph.variables)
    scalars = Counter[tuple[str, bool]]()
    for key, variable in graph.variables.items():
        scalars[key.kind, key in graph.known] += variable.dim
    rows = [(kind, "known" if k else "unknown", n, scalars[kind, k]) for (kind, k), n in kinds.items()]
    laws = Counter(factor.template.name for factor in graph.factors)
    cites = {factor.template.name: factor.template.cites for factor in graph.factors}
    yield fold_content("variables", make_table(("kind", "", "variables", "numbers"), rows))
    yield fold_content(
        "factors", make_table(("law", "factors", "source"), [(law, n, cites[law]) for law, n in laws.items()])
    )


def pictures(graph: FactorGraph) -> tuple[Callable[[], str], ...]:
    """Return the drawing of a graph that is not too large."""
    from screwgraph.ui.draw import draw_graph

    return (lambda: embed_figure(draw_graph(graph), title(graph)),) if is_drawn(graph) else ()


def svg(graph: FactorGraph) -> bytes | None:
    """Return the drawing as SVG."""
    from screwgraph.ui.draw import draw_graph, encode

    return encode(draw_graph(graph), ".svg") if is_drawn(graph) else None


def is_drawn(graph: FactorGraph) -> bool:
    """Whether it is small enough to be drawn, and has something to draw."""
    return 0 < len(graph.unknowns) <= MOST_DRAWN
