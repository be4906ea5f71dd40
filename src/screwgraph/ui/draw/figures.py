"""The kinds of figures by name, for the command line; a new one is a new file and a line here."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from screwgraph.elimination import Dag
from screwgraph.ui.draw.algorithm import draw_algorithm
from screwgraph.ui.draw.cliques import draw_cliques
from screwgraph.ui.draw.clusters import draw_clusters
from screwgraph.ui.draw.dag import draw_bayes_net, draw_dag
from screwgraph.ui.draw.elimination_steps import draw_steps
from screwgraph.ui.draw.graph import draw_graph
from screwgraph.ui.draw.matrix import draw_matrix

if TYPE_CHECKING:
    from screwgraph.ui.draw.drawing import Drawing


def _graph(dag: Dag, **options: Any) -> Drawing:
    return draw_graph(dag.graph, **options)


def _matrix(dag: Dag, **options: Any) -> Drawing:
    return draw_matrix(dag.graph, **{"order": dag.order, **options})


def _clusters(dag: Dag, **options: Any) -> Drawing:
    return draw_clusters(dag.graph, **options)


FIGURES: Mapping[str, Callable[..., Drawing]] = {
    "graph": _graph,
    "matrix": _matrix,
    "dag": draw_dag,
    "bayes_net": draw_bayes_net,
    "steps": draw_steps,
    "cliques": draw_cliques,
    "clusters": _clusters,
    "algorithm": draw_algorithm,
}
"""Each makes a figure of a `Dag`; keyword options are those of `draw_graph` and so on."""
