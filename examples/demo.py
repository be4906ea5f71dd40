"""The main job: two robots, three problems each, and the pictures of how they are eliminated.

Run `make demo`, or `python examples/demo.py`; the pictures go to `out/`.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.compiler import Function
from screwgraph.ui.draw import FIGURES, draw_graph, save

OUT = Path("out")
SEED = 0
TOLERANCE = 1e-9

console = Console(highlight=False, markup=False)


def main() -> None:
    OUT.mkdir(exist_ok=True)
    puma = sg.load("puma560")
    a1 = sg.load("a1", base="floating")
    errors = [
        answer(puma, accelerations=puma.joint_names[:3]),  # the arm's accelerations are given, the wrist's torques
        answer(a1, accelerations=a1.joint_names[1:]),  # nothing pushes the base, the legs' accelerations are given
    ]
    files = [*draw(puma), *draw(a1)]
    console.print(f"{len(files)} pictures:")
    for file in files:
        console.print(f"  {file}")
    if max(errors) > TOLERANCE:
        sys.exit(f"the answers disagree, relative error {max(errors):.1e}")


def answer(robot: sg.Robot, accelerations: tuple[str, ...]) -> float:
    """Solve the three problems at one random state, print them, and return by how much they disagree."""
    inverse = sg.inverse_dynamics(robot)
    forward = sg.forward_dynamics(robot)
    hybrid = sg.hybrid_dynamics(robot, accelerations)

    rng = np.random.default_rng(SEED)
    q, qd, qdd = robot.random(rng), *rng.standard_normal((2, robot.nv))
    is_given = np.zeros(robot.nv, dtype=bool)
    for name in accelerations:
        is_given[robot.v_slices[name]] = True
    tau = inverse(q, qd, qdd)
    caused = forward(q, qd, tau)
    mixed = hybrid(q, qd, np.where(is_given, qdd, tau))
    errors = {"forward": relative(caused, qdd), "hybrid": relative(mixed, np.where(is_given, tau, qdd))}

    console.rule(f"{robot.name}: {len(robot.links)} links, {robot.nv} degrees of freedom, {robot.mass:.4g} kg")
    console.print(answer_table(robot, is_given, qd, qdd, tau, caused, mixed), "")
    console.print(function_table({"inverse": inverse, "forward": forward, "hybrid": hybrid}, errors), "")
    return max(errors.values())


def answer_table(robot: sg.Robot, is_given: np.ndarray, *columns: np.ndarray) -> Table:
    """One row for each velocity coordinate."""
    table = new_table(
        f"a random state (seed {SEED}) and the answers of the three problems, SI units",
        *("joint", "qd", "qdd", "inverse: tau", "forward: qdd", "hybrid"),
    )
    for joint in robot.joints:
        where = robot.v_slices[joint.name]
        for i in range(where.start, where.stop):
            name = f"{joint.name}[{i - where.start}]" if joint.type.nv > 1 else joint.name
            *numbers, mixed = (f"{column[i]:.4f}" for column in columns)
            table.add_row(name, *numbers, f"{'tau' if is_given[i] else 'qdd'} {mixed:>9}")
    return table


def function_table(functions: dict[str, Function], errors: dict[str, float]) -> Table:
    """One row for each problem."""
    symbols = ("+", "-", "*", "/", "sin", "cos")
    title = "operations of the code, and the error relative to inverse dynamics"
    table = new_table(title, "problem", "order", *symbols, "total", "error")
    for problem, function in functions.items():
        counts = [str(function.operations[symbol]) for symbol in symbols]
        error = f"{errors[problem]:.1e}" if problem in errors else "-"
        table.add_row(problem, function.ordering, *counts, str(function.operations.total), error)
    return table


def new_table(title: str, *heads: str) -> Table:
    look = {"box": box.SIMPLE_HEAD, "show_edge": False, "pad_edge": False, "padding": (0, 1, 0, 0)}
    table = Table(title=title, title_justify="left", **look)
    for head in heads:
        table.add_column(head, justify="left" if head in ("joint", "problem", "order") else "right", no_wrap=True)
    return table


def draw(robot: sg.Robot) -> list[Path]:
    """Draw the graph, and what the three classical orders make of it."""
    rnea = sg.inverse_dynamics(robot, ordering="rnea").dag
    crba = sg.forward_dynamics(robot, ordering="crba").dag
    aba = sg.forward_dynamics(robot, ordering="aba").dag
    figures = {
        "graph": lambda: draw_graph(sg.dynamics_graph(robot)),
        "inverse-graph": lambda: FIGURES["graph"](rnea),
        "inverse-matrix": lambda: FIGURES["matrix"](rnea),
        "inverse-rnea-dag": lambda: FIGURES["dag"](rnea),
        "inverse-rnea-steps": lambda: FIGURES["steps"](rnea),
        "forward-graph": lambda: FIGURES["graph"](aba),
        "forward-matrix": lambda: FIGURES["matrix"](aba),
        "forward-crba-dag": lambda: FIGURES["dag"](crba),
        "forward-aba-dag": lambda: FIGURES["dag"](aba),
        "forward-aba-cliques": lambda: FIGURES["cliques"](aba),
    }
    files = []
    with console.status(f"drawing {robot.name} ..."):
        for name, figure in figures.items():
            files.append(OUT / f"{robot.name}-{name}.svg")
            save(figure(), files[-1])
    return files


def relative(found: np.ndarray, expected: np.ndarray) -> float:
    return float(np.abs(found - expected).max() / np.abs(expected).max())


if __name__ == "__main__":
    main()
