"""Nonlinear problems over time: a chain beside GTSAM's Python factors, a swing-up beside IPOPT and fatrop."""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module
from time import process_time
from typing import Any

import numpy as np

from benchmarks.bench import Entry, Tools
from benchmarks.optimisation_problems import Chain, swing_up
from benchmarks.tables import NOTHING, Remarks, Sheet, verdict
from screwgraph.optimize import Problem, Result, solve

COLUMNS = (
    "problem",
    "method",
    "cost",
    "violation",
    "iterations",
    "together, ms",
    "an iteration, ms",
    "asked, ms",
    "reached",
)
NOTES = (
    "One core, CPU time, best of several; code is made before. Chain: states are measured, neighbours tied by a motion "
    "that is not linear; GTSAM's factors are Python functions with Jacobians written by hand. Swing-up: a cart-pole, "
    "51 steps, trapezoidal collocation, least effort, from a straight line (Kelly, 2017); warm: from the solution, "
    "with the goal moved by 2 cm. IPOPT and fatrop as methods of `solve`, which makes their CasADi program each "
    "time: the table of plans has them with a program made before.",
)
ROUNDS = 5
ASKED = {12: 3.0, 36: 25.0}
"""Milliseconds an iteration of a chain may take, by unknowns of a state."""


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Solve and time; the subjects play no part."""
    rows, remarks = [], Remarks()
    for d in (12, 36):
        chain = Chain.random(d, 1000)
        tools.say(f"chain of 1000 states of {d}")
        name, problem = f"chain 1000 x {d}", chain.problem()
        rows += _ours(name, problem, {"x": chain.start}, ("levenberg_marquardt", "gauss_newton"), ASKED[d])
        rows.append(_gtsam(name, chain, remarks))
    tools.say("swing-up")
    problem, guess = swing_up()
    rows += _ours("swing-up", problem, guess, ("interior_point", "ipopt", "fatrop"))
    moved = problem.replaced("_is_at 3", at=[0.98, np.pi])
    rows.append(_row("swing-up", "interior_point, warm", *_timed(moved, solve(problem, guess), "interior_point")))
    return Sheet("Nonlinear problems", COLUMNS, rows, (*NOTES, *remarks.notes()))


def _ours(
    name: str, problem: Problem, start: dict[str, np.ndarray], methods: Sequence[str], asked: float | None = None
) -> list[list[str]]:
    return [_row(name, method, *_timed(problem, start, method), asked) for method in methods]


def _timed(problem: Problem, start: dict[str, np.ndarray] | Result, method: str) -> tuple[float, float, int, float]:
    """Return cost, violation, iterations and the CPU time (s) of the best of several solutions."""
    solve(problem, start, method=method)
    best = np.inf
    for _ in range(ROUNDS):
        began = process_time()
        result = solve(problem, start, method=method)
        best = min(best, process_time() - began)
    if not result.success:
        raise RuntimeError(f"{method} did not converge: {result.reason}")
    told = result.reason.partition("after ")[2].partition(" ")[0]  # of a solver whose iterations are not ours
    return result.cost, result.violation, int(told or result.iterations), best


def _gtsam(name: str, chain: Chain, remarks: Remarks) -> list[str]:
    try:
        gtsam: Any = import_module("gtsam")
    except ImportError:
        return [name, remarks.cell("GTSAM", name, "it is not installed"), *[NOTHING] * (len(COLUMNS) - 3)]
    graph, values = chain.gtsam_graph()
    parameters = gtsam.LevenbergMarquardtParams()
    optimiser = gtsam.LevenbergMarquardtOptimizer(graph, values, parameters)
    began = process_time()
    found = optimiser.optimize()
    seconds = process_time() - began
    return _row(name, "GTSAM, Python factors", graph.error(found), 0.0, max(optimiser.iterations(), 1), seconds)


def _row(
    name: str, method: str, cost: float, violation: float, iterations: int, seconds: float, asked: float | None = None
) -> list[str]:
    each = 1e3 * seconds / max(iterations, 1)
    goal = [NOTHING, NOTHING] if asked is None else [f"{asked:g}", verdict(each <= asked)]
    numbers = [f"{cost:.6g}", f"{violation:.1g}", str(iterations), f"{1e3 * seconds:.3g}", f"{each:.3g}"]
    return [name, method, *numbers, *goal]
