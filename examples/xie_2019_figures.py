"""Figs 1, 7 and 10 of Xie & Dellaert (2019): the PUMA 560's graph; RRR's dynamics in four orders.

Run: python examples/xie_2019_figures.py; the pictures go to `out/`. The other graphs and DAGs are `screwgraph draw`'s.
The paper's figures are Bayes nets: a variable hangs on all that share a factor with it when it is eliminated. What is
computed hangs on fewer: on those in the equations that express it.
"""

from __future__ import annotations

from pathlib import Path

from xie_2019_orderings import TABLE_3_CUSTOM, TABLE_3_MD, keys

import screwgraph as sg
from screwgraph.ui.draw import FIGURES, draw_graph, save

OUT = Path("out")
CRBA = "F3 F2 F1 V3 V2 V1 a3 a2 a1"
"""Wrenches, accelerations of links, accelerations of joints, each from the tip to the base (VI-A)."""
ABA = "F3 V3 a3 F2 V2 a2 F1 V1 a1"
FORWARD, HYBRID = ("q", "qd", "tau"), ("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
DRAWN = {
    "7a-crba": (FORWARD, CRBA),
    "7b-aba": (FORWARD, ABA),
    "10a-md": (HYBRID, TABLE_3_MD),
    "10b-custom": (HYBRID, TABLE_3_CUSTOM),
}


def main() -> None:
    """Draw, and count the edges of Bayes nets and of DAGs."""
    OUT.mkdir(exist_ok=True)
    save(draw_graph(sg.dynamics_graph(sg.load("puma560"))), OUT / "xie-2019-fig1-graph.svg")
    arm = sg.load("rrr")
    print("figure            Bayes net   DAG   operations")
    for name, (known, order) in DRAWN.items():
        graph = sg.dynamics_graph(arm).given(*known)
        dag = sg.eliminate(graph, keys(order, arm, graph))
        for kind in ("bayes_net", "dag"):
            save(FIGURES[kind](dag), OUT / f"xie-2019-fig{name}{'-dag' if kind == 'dag' else ''}.svg")
        edges = sum(map(len, dag.bayes_net.values()))
        print(f"Fig. {name:<12} {edges:>9} {len(dag.edges):>5} {dag.operations.total:>12}")


if __name__ == "__main__":
    main()
