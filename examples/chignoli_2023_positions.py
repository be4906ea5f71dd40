"""Independent positions as inputs of code (Chignoli et al., 2023, Algorithm 1): how loops are closed, and the costs.

Run: python examples/chignoli_2023_positions.py. Operations of forward dynamics in independent coordinates, from all
positions and from independent ones alone; how far completed positions are from those of Newton's method in Python.
"""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
from rich import box
from rich.console import Console
from rich.table import Table

import screwgraph as sg
from screwgraph.mechanics.dynamics.completion import Completion
from screwgraph.model.robot import constraint_jacobian, independent_coordinates

TELLO = Path(__file__).resolve().parent / "chignoli_2023_tello.yaml"
WORDS = {"Linear": "linear", "Single": "one sine", "TwoCircles": "two circles", "Newton": "Newton"}
NEAR, REGULAR = 0.03, 1e-3
"""How far (rad, m) independent joints are from the guess; smallest singular value of K, relative to the largest."""


def main() -> None:
    """Print a table of robots."""
    table = Table(box=box.SIMPLE_HEAD, show_edge=False)
    for head in ("robot", "dependent coordinates, by how they are found"):
        table.add_column(head)
    for head in ("operations of\nall positions", "forward dynamics\nindependent ones", "off by\n(rad, m)"):
        table.add_column(head, justify="right")
    for name in ("belt_leg", "differential", "four_bar_linkage", "five_bar", TELLO):
        robot = sg.load(name)
        plain, small = (
            sg.forward_dynamics(robot, coordinates="independent", positions=positions, ordering="embedding")
            for positions in ("spanning", "independent")
        )
        counts = (str(f.operations.total) for f in (plain, small))
        table.add_row(robot.name, found(robot), *counts, f"{error(robot):.0e}")
    Console(width=118, highlight=False).print(table)


def found(robot: sg.Robot) -> str:
    """Say how many coordinates are found in which way."""
    counts = Counter[str]()
    for block, solution in Completion(robot).solutions:
        counts[WORDS[type(solution).__name__]] += len(block.coordinates)
    return ", ".join(f"{count} {word}" for word, count in counts.items())


def error(robot: sg.Robot) -> float:
    """Return how far positions are from those that `Robot.complete` finds, beside regular closed ones."""
    rng, f, largest = np.random.default_rng(0), sg.closed_positions(robot), float("nan")
    places, chosen = Completion(robot).independent, independent_coordinates(robot)
    dependent = np.setdiff1d(np.arange(robot.nv), chosen)
    for guess in robot.mobility.states:
        s = np.linalg.svd(constraint_jacobian(robot, guess)[list(robot.mobility.kept)][:, dependent], compute_uv=False)
        if s.min() > REGULAR * s.max():
            y = guess[places] + rng.uniform(-NEAR, NEAR, len(places))
            q = f(y, guess) if len(f.arguments) > 1 else f(y)
            largest = float(np.fmax(largest, np.abs(q - robot.complete(y, guess)).max()))
    return largest


if __name__ == "__main__":
    main()
