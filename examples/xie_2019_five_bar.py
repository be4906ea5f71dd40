"""The five-bar of Xie & Dellaert (2019) (section VII, Figs 11, 12): three problems, any order, same answers.

Run: python examples/xie_2019_five_bar.py; Fig. 12, and the DAGs of several orders, go to `out/`. Joints 1 and 2 are
driven, joint 5 closes the loop. Its wrench is the multiplier lambda_5 here: of the five rows of a hinge, those two are
kept that a planar linkage leaves independent, which is what the paper's planar factor does.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

os.environ.setdefault("SCREWGRAPH_SEARCH_SECONDS", "0")

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.model.robot import closed_states
from screwgraph.ui.draw import draw_graph, save
from screwgraph.ui.draw.figures import FIGURES

OUT = Path("out")
STATES = 16
DRAWN = {"inverse": ("rnea", "colamd"), "forward": ("embedding", "aba", "kkt", "nested_dissection"), "hybrid": ("aba",)}
"""Of which orders the DAGs are drawn, by problem."""

Make = Callable[[str], Function]
Arrays = tuple[np.ndarray, np.ndarray, np.ndarray]

console = Console(highlight=False, markup=False, width=118)


def main() -> None:
    """Solve the three problems in every order, compare, draw."""
    robot = sg.load("five_bar")
    makers: dict[str, Make] = {
        "inverse": lambda order: sg.inverse_dynamics(robot, ordering=order),
        "forward": lambda order: sg.forward_dynamics(robot, ordering=order),
        "hybrid": lambda order: sg.hybrid_dynamics(robot, accelerations=("joint1",), ordering=order),
    }
    q, qd, qdd, tau = motion(robot)
    mixed = np.where(np.arange(robot.nv) == robot.v_slices["joint1"].start, (qdd, tau), (tau, qdd))
    answers = {"inverse": tau, "forward": qdd, "hybrid": mixed[1]}
    arrays = {"inverse": (q, qd, qdd), "forward": (q, qd, tau), "hybrid": (q, qd, mixed[0])}
    found = {
        order: [solved(makers[problem], order, arrays[problem], answers[problem]) for problem in makers]
        for order in ("auto", *sg.orderings.ORDERINGS)
    }
    report(found, list(makers))
    draw(robot, makers)


def motion(robot: sg.Robot) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Return closed positions, velocities, accelerations, and the torques at joints 1 and 2 that cause these."""
    rng = np.random.default_rng(0)
    q = np.array(closed_states(robot, STATES))
    qd = np.array([robot.complete_velocity(at, rng.standard_normal(2)) for at in q])
    tau = np.zeros((STATES, robot.nv))
    for name in robot.independent_joints:
        tau[:, robot.v_slices[name]] = rng.standard_normal((STATES, 1))
    return q, qd, sg.forward_dynamics(robot, ordering="embedding")(q, qd, tau), tau


def solved(make: Make, order: str, arrays: Arrays, expected: np.ndarray) -> tuple[str, str]:
    """Return the operations of a function, and its largest difference from what is expected, relative to that."""
    try:
        f = make(order)
    except sg.EliminationError:
        return "refused", ""
    error = np.abs(f(*arrays) - expected).max() / np.abs(expected).max()
    return str(f.operations.total), f"{error:.0e}"


def report(found: dict[str, list[tuple[str, str]]], problems: list[str]) -> None:
    """Print one row an order."""
    title = f"Five-bar: operations, and the largest relative difference at {STATES} closed states"
    table = Table(title=title, title_justify="left", box=box.SIMPLE_HEAD, show_edge=False)
    table.add_column("order")
    for problem in problems:
        table.add_column(problem, justify="right")
        table.add_column("difference", justify="right")
    for order, cells in found.items():
        table.add_row(order, *(cell for pair in cells for cell in pair))
    console.print(table, "")
    console.print("Differences are from the torques and accelerations of one motion, made in order embedding.")
    if any(cells == "refused" for pairs in found.values() for cells, _ in pairs):
        console.print("Refused: an order that divides by what vanishes where the loop closes is not made.")


def draw(robot: sg.Robot, makers: dict[str, Make]) -> None:
    """Draw the factor graph, and DAGs."""
    OUT.mkdir(exist_ok=True)
    figures = {"graph": draw_graph(sg.dynamics_graph(robot))}
    for problem, orders in DRAWN.items():
        for order in orders:
            figures[f"{problem}-{order}-dag"] = FIGURES["dag"](makers[problem](order).dag)
    figures["forward-graph"] = FIGURES["graph"](makers["forward"]("embedding").dag)
    for name, figure in figures.items():
        file = OUT / f"five_bar-{name}.svg"
        save(figure, file)
        console.print(f"  {file}")


if __name__ == "__main__":
    main()
