"""Footnote 2 of Chignoli et al. (2023): clusters on several bodies of another cluster, on two mechanisms.

Run: python examples/chignoli_2023_outputs.py [--quick | --full]; the pictures go to `out/`.
"""

from __future__ import annotations

from collections.abc import Callable

import chignoli_2023_common as common
from chignoli_2023_robots import parallelograms, scissors

import screwgraph as sg
from screwgraph.graph import clusters, nested_clusters
from screwgraph.ui.draw.clusters import draw_clusters

MECHANISMS: dict[str, Callable[[int], sg.Robot]] = {"parallelograms": parallelograms, "scissors": scissors}
ORDERS = ("embedding", "nested_embedding", "kkt")
STAGES = (1, 2, 4, 6, 8)


def main() -> None:
    """Count, print a table for each mechanism, draw the cluster tree of the shortest with several outputs."""
    asked = common.options(__doc__)
    stages = STAGES[:2] if asked.quick else (*STAGES, 12, 16) if asked.full else STAGES
    for name, make in MECHANISMS.items():
        report(name, make, stages)
        graph = sg.dynamics_graph(make(3)).given("q", "qd", "tau")
        common.save(draw_clusters(graph, nested=True), f"chignoli-2023-footnote-2-{name}")


def report(name: str, make: Callable[[int], sg.Robot], stages: tuple[int, ...]) -> None:
    """Print sizes of clusters and instructions by the number of stages, and what one more stage costs at the end."""
    ours = common.counts([common.Question(make, (n,), ORDERS) for n in stages], name)
    rows = []
    for n, by_order in zip(stages, ours, strict=True):
        graph = sg.dynamics_graph(make(n)).given("q", "qd", "tau")
        largest = [max(len(cluster.joints) for cluster in find(graph)) for find in (clusters, nested_clusters)]
        outputs = max(len(cluster.outputs) for cluster in nested_clusters(graph))
        rows.append((n, *largest, outputs, *(by_order[order].instructions for order in ORDERS)))
    heads = ("stages", "joints in the\nlargest cluster", "nested", "outputs", *ORDERS)
    common.table(f"{name}: instructions of forward dynamics by order", heads, rows, named=0)
    last = {o: (ours[-1][o].instructions - ours[-2][o].instructions) / (stages[-1] - stages[-2]) for o in ORDERS}
    costs = ", ".join(f"{order} {cost:.0f}" for order, cost in last.items())
    common.console.print(f"from {stages[-2]} stages on, one more costs: {costs}\n")


if __name__ == "__main__":
    main()
