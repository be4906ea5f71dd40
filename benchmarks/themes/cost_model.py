"""The cost model against the clock: does predicted cost rank code as measured time does?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.stats import spearmanr

import screwgraph as sg
from benchmarks.bench import Entry, Tools
from benchmarks.tables import Sheet, nanoseconds
from screwgraph.elimination import orderings
from screwgraph.elimination.cost import cost
from screwgraph.mechanics.dynamics import forward_dynamics, inverse_dynamics
from screwgraph.ui.bench import random_states, time_batch, to_columns

COLUMNS = (
    "robot (velocities)",
    "problem",
    "orders",
    "cost: correlation",
    "operations: correlation",
    "cheapest predicted",
    "fastest",
    "lost",
)
PROBLEMS = {"inverse": inverse_dynamics, "forward": forward_dynamics}
FLOATING = ("a1",)
FEWEST = 3
"""Different values, that a correlation is worth printing."""
NOTES = (
    "Built-in robots, all named orders that give different code: Spearman's rank correlation of the cost that "
    "`elimination.cost` predicts, and of plain operation counts, with the measured time a sample in batches, columns. "
    "Inverse dynamics is nearly one program in every order, so little is left to rank. Lost: how much slower the order "
    "is that the model would choose than the fastest one.",
)


@dataclass(frozen=True)
class Sampled:
    """One order's predicted cost, its operations, and its measured time (ns)."""

    order: str
    predicted: float
    operations: float
    measured: float


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Compare rankings over built-in robots, problems and orders; the subjects play no part."""
    groups = {}
    loaded = {name: sg.load(name, base="floating" if name in FLOATING else "fixed") for name in sg.zoo_names()}
    for name, robot in loaded.items():
        for problem in () if robot.is_closed else PROBLEMS:
            tools.say(f"cost model: {name} {problem}")
            groups[f"{name} ({robot.nv})", problem] = list(_measured(robot, problem, tools))
    rows = [[*name, *_ranked(group)] for name, group in groups.items()]
    together = [sampled for group in groups.values() for sampled in group]
    rows.append(["all", "both", *_correlations(together), "", "", ""])
    return Sheet("Cost model", COLUMNS, rows, NOTES)


def _measured(robot: sg.Robot, problem: str, tools: Tools) -> Iterator[Sampled]:
    states = random_states(robot, tools.effort.states)
    seen = set()
    for order in orderings.ORDERINGS:
        try:
            f = PROBLEMS[problem](robot, ordering=order)
        except sg.EliminationError:
            continue  # not every order suits every problem
        if f.program.instructions not in seen:  # some orders give the same code
            seen.add(f.program.instructions)
            time = time_batch([f], states, tools.effort, to_columns)
            yield Sampled(order, cost(f.program), f.operations.total, time)


def _ranked(group: Sequence[Sampled]) -> list[str]:
    cheapest, fastest = min(group, key=lambda s: s.predicted), min(group, key=lambda s: s.measured)
    lost = cheapest.measured / fastest.measured - 1
    times = [f"{s.order} ({nanoseconds(s.measured)} ns)" for s in (cheapest, fastest)]
    return [*_correlations(group), *times, f"{lost:.0%}"]


def _correlations(group: Sequence[Sampled]) -> list[str]:
    """Return how many were measured, and how well cost and operations rank them; of few, nothing can be said."""
    measured = [s.measured for s in group]
    found = []
    for predicted in ([s.predicted for s in group], [s.operations for s in group]):
        few = len(set(predicted)) < FEWEST
        found.append("-" if few else f"{float(np.asarray(spearmanr(predicted, measured)[0])):.3f}")
    return [str(len(group)), *found]
