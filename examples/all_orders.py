"""Every elimination order of the two- and the three-link arm: the optimum, and the named orders beside it.

Run: python examples/all_orders.py          (half a minute)
     python examples/all_orders.py --all    (with forward dynamics of three links; six minutes of one core)
"""

from __future__ import annotations

import os
import sys
from concurrent.futures import ProcessPoolExecutor
from functools import partial

from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.elimination import eliminate_rows, equations, orderings
from screwgraph.elimination.exhaustive import Optimum, exhaustive
from screwgraph.elimination.orderings.base import as_groups
from screwgraph.graph import FactorGraph, Key
from screwgraph.tape import factor_out, program

KNOWNS = {"inverse": ("q", "qd", "qdd"), "forward": ("q", "qd", "tau")}
RESULT = {"inverse": "tau", "forward": "qdd"}
NAMED = ("rnea", "aba", "crba", "min_degree", "colamd", "nested_dissection")
SYMBOLS = {"acceleration": "V'", "wrench": "F", "qdd": "q''", "tau": "t"}


def main() -> None:
    """Print a table of complete searches."""
    questions = [("rr", "inverse"), ("rr", "forward"), ("rrr", "inverse")]
    if "--all" in sys.argv[1:]:
        questions.append(("rrr", "forward"))
    table = Table("arm", "problem", "eliminations", "fewest operations", "in this order", "named orders")
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        for robot, problem in questions:
            shares = [s for s in pool.map(partial(share, robot, problem), unknowns(robot, problem)) if s]
            best = min(shares, key=lambda s: s.operations)
            order = " ".join(SYMBOLS[key.kind] + key.name.lstrip("linkjot") for key in best.order)
            named = ", ".join(f"{name} {named_operations(robot, problem, name)}" for name in NAMED)
            count = sum(s.eliminations for s in shares)
            table.add_row(robot, problem, f"{count}", f"{best.operations}", order, named)
    Console(width=118).print(table)


def graph_of(robot: str, problem: str) -> FactorGraph:
    return sg.dynamics_graph(sg.load(robot)).given(*KNOWNS[problem])


def unknowns(robot: str, problem: str) -> list[Key]:
    return [v.key for v in graph_of(robot, problem).unknowns]


def share(robot: str, problem: str, first: Key) -> Optimum | None:
    """All orders that begin with one variable."""
    return exhaustive(graph_of(robot, problem), (RESULT[problem],), first)


def named_operations(robot: str, problem: str, name: str) -> int:
    """Operations of a named order, on the graph as it is: no compiler pass, as in the complete search."""
    graph = graph_of(robot, problem)
    system = equations(graph)
    elimination = eliminate_rows(system.rows, as_groups(orderings.find_ordering(name), graph))
    outputs = [value for (key, _), value in elimination.solve().items() if key.kind == RESULT[problem]]
    return factor_out(program(system.tape, outputs)).operations.total


if __name__ == "__main__":
    main()
