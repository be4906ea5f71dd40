"""Figs 1 and 10 of Xie & Dellaert (2019): graph of the PUMA 560; hybrid dynamics of RRR in two orders.

Run: python examples/xie_2019_figures.py; the pictures go to `out/`. The other graphs and DAGs are `screwgraph draw`'s.
"""

from __future__ import annotations

from pathlib import Path

from xie_2019_orderings import TABLE_3_CUSTOM, TABLE_3_MD, keys

import screwgraph as sg
from screwgraph.ui.draw import FIGURES, draw_graph, save

OUT = Path("out")


def main() -> None:
    """Draw, and count the edges of both DAGs."""
    OUT.mkdir(exist_ok=True)
    save(draw_graph(sg.dynamics_graph(sg.load("puma560"))), OUT / "xie-2019-fig1-graph.svg")
    arm = sg.load("rrr")
    graph = sg.dynamics_graph(arm).given("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
    for name, order in (("a-md", TABLE_3_MD), ("b-custom", TABLE_3_CUSTOM)):
        dag = sg.eliminate(graph, keys(order, arm, graph))
        save(FIGURES["dag"](dag), OUT / f"xie-2019-fig10{name}.svg")
        print(f"Fig. 10{name}: {len(dag.edges)} edges, {dag.operations.total} operations")


if __name__ == "__main__":
    main()
