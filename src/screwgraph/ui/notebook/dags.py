"""An elimination: its DAG drawn, and its listing folded away."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from screwgraph.elimination import Dag
from screwgraph.ui.notebook.graphs import is_drawn
from screwgraph.ui.notebook.html_elements import embed_figure, fold_content, make_table

MOST_LISTED = 80
"""Variables of eliminations whose listing is shown at once."""


def title(dag: Dag) -> str:
    """Say how large it is."""
    return repr(dag).strip("<>")


def tables(dag: Dag) -> Iterator[str]:
    """Yield what describes the elimination, and the listing."""
    values = [("arrows", len(dag.edges)), ("fill-in (scalars)", dag.fill_in)]
    values += [("width of the clique tree", dag.cliques.width), ("scalars that had to wait", len(dag.delayed))]
    yield fold_content("values", make_table(("", ""), values))
    if len(dag.order) <= MOST_LISTED:
        yield fold_content("algorithm", dag.algorithm("html"))


def pictures(dag: Dag) -> tuple[Callable[[], str], ...]:
    """Return the drawing of a DAG that is not too large."""
    from screwgraph.ui.draw import draw_dag

    return (lambda: embed_figure(draw_dag(dag), title(dag)),) if is_drawn(dag.graph) else ()


def svg(dag: Dag) -> bytes | None:
    """Return the drawing as SVG."""
    from screwgraph.ui.draw import draw_dag, encode

    return encode(draw_dag(dag), ".svg") if is_drawn(dag.graph) else None
