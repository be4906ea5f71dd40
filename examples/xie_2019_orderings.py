"""Elimination orders of the PUMA 560: Tables I-III of Xie & Dellaert (2019) and the slides, beside their times.

Run: python examples/xie_2019_orderings.py
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain, combinations

import numpy as np
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.elimination import eliminate_rows, equations
from screwgraph.elimination.orderings.base import as_groups

KINDS = {"t": "tau", "a": "qdd"}
LINK_KINDS = {"V": "acceleration", "F": "wrench"}

# Orders as the slides print them; V0 and F7 are known here and passed over. Their tables for forward and for hybrid
# dynamics list the same four orders, so an unknown that an order does not name is put in front.
INVERSE_COLAMD = "t6 t5 t4 t3 t1 t2 V0 F1 V1 F2 V2 F3 V3 F4 V4 F5 V5 F6 V6 F7"
INVERSE_METIS = "t3 t2 t1 V0 F3 F1 V2 F2 V1 t6 t5 t4 F7 V4 V6 F5 V5 F6 F4 V3"
INVERSE_RNEA = "t6 t5 t4 t3 t2 t1 V6 F1 V5 F2 V4 F3 V3 F4 V2 F5 V1 F6 V0 F7"
INVERSE_LYNCH = "t1 F1 t2 F2 t3 F3 t4 F4 t5 F5 t6 F6 F7 V0 V1 V2 V3 V4 V5 V6"
MIXED_COLAMD = "F7 a5 a4 t3 t1 t2 V0 F1 V1 F2 V2 F3 V3 F4 V4 F5 F6 V5 V6 a6"
MIXED_METIS = "a4 F7 a6 a5 F5 V6 V4 F6 V5 t3 t2 t1 V0 F3 F1 V2 F2 V1 F4 V3"
CUSTOM_1 = "F1 F2 F3 F4 F5 F6 F7 V0 V1 V2 V3 V4 V5 V6 a1 a2 a3 a4 a5 a6"
CUSTOM_2 = "a1 a2 a3 a4 a5 a6 F1 F2 F3 F4 F5 F6 F7 V0 V1 V2 V3 V4 V5 V6"
TABLE_3_MD = "t1 a2 a3 V3 F1 V1 F2 V2 F3"
TABLE_3_CUSTOM = "t1 a2 a3 F1 V1 V3 F3 V2 F2"

CRBA = "F6 F5 F4 F3 F2 F1 V6 V5 V4 V3 V2 V1 a6 a5 a4 a3 a2 a1"
ABA = "F6 V6 a6 F5 V5 a5 F4 V4 a4 F3 V3 a3 F2 V2 a2 F1 V1 a1"
# Orders of the paper's Tables I and II, as its text describes them, or the heuristics of the same names here.
TABLE_1 = [
    ("RNEA (Table I)", "rnea", 26.6),
    ("COLAMD (Table I)", "colamd", 11.0),
    ("ND (Table I)", "nested_dissection", 11.7),
]
TABLE_2 = [
    ("CRBA (Table II)", CRBA, 51.8),
    ("ABA (Table II)", ABA, 25.5),
    ("COLAMD (Table II)", "colamd", 11.2),
    ("ND (Table II)", "nested_dissection", 12.1),
]

NAMED = ("rnea", "lynch_park", "crba", "composite", "aba", "min_degree", "colamd", "nested_dissection")


@dataclass(frozen=True)
class Result:
    """One order of one problem; `paper` is the published time in microseconds."""

    order: str
    fill_in: int
    block_fill_in: int
    edges: int
    net: int
    width: int
    operations: int
    milliseconds: float
    paper: float | None


def main() -> None:
    """Print the tables, and in words where they and the papers disagree."""
    console = Console(width=118)
    robot = sg.load("puma560")
    joints = robot.joint_names
    graph = sg.dynamics_graph(robot)
    inverse = [
        ("COLAMD (slides)", INVERSE_COLAMD, 11.0322),
        ("METIS (slides)", INVERSE_METIS, 11.7108),
        ("RNEA (slides)", INVERSE_RNEA, 20.2105),
        ("Lynch (slides)", INVERSE_LYNCH, 26.5747),
    ]
    mixed = [
        ("COLAMD (slides)", MIXED_COLAMD, 11.6785),
        ("METIS (slides)", MIXED_METIS, 13.0836),
        ("custom 1 (slides)", CUSTOM_1, 34.6130),
        ("custom 2 (slides)", CUSTOM_2, 24.5449),
    ]
    half = [*(f"qdd:{j}" for j in joints[:3]), *(f"tau:{j}" for j in joints[3:])]
    report(console, "Inverse dynamics (Table I)", robot, graph.given("q", "qd", "qdd"), TABLE_1, inverse)
    report(console, "Forward dynamics (Table II)", robot, graph.given("q", "qd", "tau"), TABLE_2, mixed)
    report(console, "Hybrid dynamics: qdd 1-3 and tau 4-6 given (slides)", robot, graph.given("q", "qd", *half), mixed)
    console.print(
        "All times are of GTSAM but RBDL's in Table I (20.2 us), which is no order; the slides give it to RNEA's.\n"
        "They follow the edges of the Bayes net, as dense elimination of each variable from all its neighbours does.\n"
        "The operations here are those of the compiled code, which has neither zeros nor ones of these blocks in it:\n"
        "so RNEA's and Lynch's orders, slowest there, are among the cheapest here.\n"
        "`elimination` is the time of this project's engine on plain numbers, in Python: only its ratios count.\n",
        highlight=False,
    )
    arm = sg.load("rrr")
    known = ("q", "qd", "qdd:joint1", "tau:joint2", "tau:joint3")
    orders = [("MD (Table III)", TABLE_3_MD, None), ("CUSTOM (Table III)", TABLE_3_CUSTOM, None)]
    report(console, "RRR arm, hybrid: qdd 1, tau 2 and 3 given", arm, sg.dynamics_graph(arm).given(*known), orders)
    console.print(
        "Xie & Dellaert (2019) count equally many edges in the DAGs of both orders (Fig. 10), which are Bayes nets:\n"
        "a variable depends on all neighbours that it has when it is eliminated, 14 here, too. In our DAG it depends\n"
        "only on those of the equations that express it.",
        highlight=False,
    )


def report(
    console: Console,
    title: str,
    robot: sg.Robot,
    graph: sg.FactorGraph,
    *published: Sequence[tuple[str, str, float | None]],
) -> None:
    """Eliminate a graph in the orders of each publication and in the named ones, and print the table."""
    results = [[measure(name, robot, graph, order, paper) for name, order, paper in orders] for orders in published]
    named = [measure(name, robot, graph, name, None) for name in NAMED]
    table = Table(title=title, title_justify="left")
    counted = ("fill-in", "in blocks", "DAG", "Bayes net", "clique width", "operations")
    for column in ("order", *counted, "elimination", "paper"):
        table.add_column(column, justify="left" if column == "order" else "right")
    for r in (*chain(*results), *named):
        table.add_row(
            r.order,
            *(str(n) for n in (r.fill_in, r.block_fill_in, r.edges, r.net, r.width, r.operations)),
            f"{r.milliseconds:.2f} ms",
            "" if r.paper is None else f"{r.paper:.1f} us",
        )
    console.print(table)
    for orders in results:
        for line in verdicts([(r, r.paper) for r in orders if r.paper is not None]):
            console.print(line, highlight=False, soft_wrap=True)
    console.print()


def measure(name: str, robot: sg.Robot, graph: sg.FactorGraph, text: str, paper: float | None) -> Result:
    """Eliminate once symbolically for the counts, and repeatedly with numbers for the time.

    `text` is the name of an ordering, or a list of variables.
    """
    order = keys(text, robot, graph) if " " in text else sg.orderings.find_ordering(text)
    dag = sg.eliminate(graph, order)
    return Result(
        name,
        dag.fill_in,
        dag.block_fill_in,
        len(dag.edges),
        sum(map(len, dag.bayes_net.values())),
        dag.cliques.width,
        dag.operations.total,
        1e3 * numeric_time(graph, order),
        paper,
    )


def numeric_time(graph: sg.FactorGraph, order: sg.Ordering | Sequence[sg.Key], repeats: int = 7) -> float:
    """Return the least time (s) of elimination and back-substitution at a random state."""
    rng = np.random.default_rng(0)
    rows = equations(graph, {v.key: v.manifold.random(rng) for v in graph.inputs}).rows
    groups = as_groups(order, graph)
    times = []
    for _ in range(repeats):
        start = time.perf_counter()
        eliminate_rows(rows, groups).solve()
        times.append(time.perf_counter() - start)
    return min(times)


def keys(order: str, robot: sg.Robot, graph: sg.FactorGraph) -> list[sg.Key]:
    """Translate a paper's list of variables; unknowns that it does not name go first."""
    named = []
    for word in order.split():
        kind, index = word[0], int(word[1:])
        if index <= len(robot.joints) and index != 0:
            joint = robot.joints[index - 1]
            named.append(sg.Key(KINDS[kind], joint.name) if kind in KINDS else sg.Key(LINK_KINDS[kind], joint.child))
    unknown = [v.key for v in graph.unknowns]
    return [k for k in unknown if k not in named] + [k for k in named if k in unknown]


def verdicts(timed: Sequence[tuple[Result, float]]) -> list[str]:
    """Say of each published order where its time, and where counts rank it, 1 the least; and how many pairs agree."""
    if not timed:
        return []
    counts = {
        "Bayes net": [r.net for r, _ in timed],
        "clique width": [r.width for r, _ in timed],
        "operations": [r.operations for r, _ in timed],
    }
    times = [t for _, t in timed]
    lines = []
    for i, (result, time_taken) in enumerate(timed):
        places = {name: rank(values, i) for name, values in counts.items()}
        agreeing = [name for name, place in places.items() if place == rank(times, i)]
        said = f"agrees by {', '.join(agreeing)}" if agreeing else "differs"
        here = ", ".join(f"{name} {place}" for name, place in places.items())
        lines.append(f"  {result.order}: {time_taken:.1f} us, place {rank(times, i)} of {len(timed)}; {here}: {said}")
    pairs = list(combinations(range(len(timed)), 2))
    for name, values in counts.items():
        signs = [np.sign((values[i] - values[j]) * (times[i] - times[j])) for i, j in pairs]
        ties = f", {signs.count(0)} tied" if 0 in signs else ""
        lines.append(f"  {name} ranks {signs.count(1)} of {len(pairs)} pairs as the times do{ties}")
    return lines


def rank(values: Sequence[float], i: int) -> str:
    """Return the place of a value among others, 1 the least; with = where others have it, too."""
    return f"{1 + sum(v < values[i] for v in values)}{'=' if list(values).count(values[i]) > 1 else ''}"


if __name__ == "__main__":
    main()
