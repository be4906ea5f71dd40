"""Trajectory problems with known optima: cost, violation, iterations and time together, beside other solvers."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from time import process_time

import numpy as np

from benchmarks.bench import Entry, Tools, best_of
from benchmarks.native import find_compiler
from benchmarks.peers import crocoddyl
from benchmarks.peers.casadi_solvers import Solved, solved
from benchmarks.peers.trajectories import Trajectory
from benchmarks.subjects import FOLDER
from benchmarks.tables import NOTHING, Remarks, Sheet, verdict
from benchmarks.turns import take_turns
from screwgraph.motion.planning import Plan, Planner, read_task
from screwgraph.motion.planning.goals import Position
from screwgraph.ui.bench import NotMeasuredError

COLUMNS = ("task", "method", "J", "violation", "iterations", "time, ms", "asked, ms", "reached", "status")
ASKED = {"cp2": 15.0, "acro": 40.0, "panda": 10.0, "a1_trot": 20.0, "plan7": 15.0}
"""Milliseconds that a solution may take."""
TASKS = ("cp2", "cp2lim12", "acro", "panda", "plan7", "a1_trot")
COLLOCATED = ("cp2", "cp2lim12", "acro", "panda")
THROUGH_CASADI = {"IPOPT": "ipopt", "fatrop": "fatrop"}
WARM = 1.0
"""The same for cp2 from its last plan."""
NOTES = (
    "One core (the process and its children are bound to it), CPU time of a solution from the task's guess, the "
    "least of a second's calls, of seven at least (Crocoddyl: of seven, its shooting once); code is made before. cp2: "
    "a cart-pole, two timed goals, 200 steps (known optimum 101.605); cp2lim12: with 12 N (101.986); acro: an acrobot "
    "swings up, 100 steps (108.65; 50.96 and others exist); panda: a pose in a second, 50 steps, all limits (187.9); "
    "plan7: nine spheres on a Panda between two obstacles; a1_trot: 56 knots. Warm: from the last plan, with the first "
    "goal moved by 1 cm.",
    "IPOPT, fatrop: through CasADi, the same discretisation as states and accelerations at knots (IPOPT: efforts, "
    "too), the program made once, derivatives run by CasADi's virtual machine or as C by the compiler of this page, "
    "whichever is faster; cost and violation are counted by our own code. plan7 and a1_trot are not written for them.",
    "Crocoddyl: shooting with held efforts (Runge-Kutta, order 4; known optima 100.842, 101.225, 197.4), box-FDDP; "
    "goals and limits of states are penalties, and violation is what is left of them. Its trot is its own gait "
    "problem, with impulses, soft friction cones and another cost: costs of these two rows are not to be compared.",
)
ROUNDS = 7


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Plan and time; the subjects play no part."""
    rows, remarks = [], Remarks()
    for name in TASKS:
        tools.say(f"plan {name}")
        planner = Planner(read_task(name))
        rows.append(_ours(name, planner))
        rows += _others(name, planner, tools, remarks)
        if name == "cp2":
            rows.append(_warm(planner))
    return Sheet("Plans", COLUMNS, rows, (*NOTES, *remarks.notes()))


def _ours(name: str, planner: Planner) -> list[str]:
    plan, seconds = best_of(planner.solve, ROUNDS)
    return _row(name, plan.result.method, _told(plan, seconds), ASKED.get(name))


def _warm(planner: Planner) -> list[str]:
    """Plan again from the last plan, with a goal that is moved by a centimetre, and back."""
    first, *others = planner.task.goals
    if not isinstance(first, Position):
        raise TypeError("the first goal of cp2 is a position")
    found, best = planner.solve(), np.inf
    for turn in take_turns(ROUNDS):
        at = {**first.at, "x": first.at["x"] + 0.01 * ((turn + 1) % 2)}
        planner.change(goals=(replace(first, at=at), *others))
        began = process_time()
        found = planner.solve(warm=True)
        best = min(best, process_time() - began)
    return _row("cp2", f"{found.result.method}, warm", _told(found, best), WARM)


def _others(name: str, planner: Planner, tools: Tools, remarks: Remarks) -> list[list[str]]:
    def row(method: str, measure: Callable[[], Solved]) -> list[str]:
        try:
            return _row(name, method, measure())
        except NotMeasuredError as reason:
            return [name, method, remarks.cell(method, name, str(reason)), *[NOTHING] * (len(COLUMNS) - 3)]

    if name == "a1_trot":
        file = FOLDER.parent / "urdf" / "a1.urdf"
        return [row("Crocoddyl", lambda: crocoddyl.trot(planner, file, ROUNDS))]
    if name not in COLLOCATED:
        return []
    trajectory = Trajectory(planner)
    rows = [row(shown, lambda m=m: _through_casadi(trajectory, m, tools)) for shown, m in THROUGH_CASADI.items()]
    return [*rows, row("Crocoddyl", lambda: crocoddyl.shot(trajectory, 1))]


def _through_casadi(trajectory: Trajectory, method: str, tools: Tools) -> Solved:
    """Return the faster of CasADi's virtual machine and compiled C."""
    ways = [solved(trajectory, method, None, ROUNDS)]
    if ways[0].status == "solved":
        tools.say(f"plan {trajectory.planner.task.name}: {method} in C")
        with suppress(NotMeasuredError):
            ways.append(solved(trajectory, method, find_compiler(tools.compiler), ROUNDS))
    return min(ways, key=lambda s: s.seconds)


def _told(plan: Plan, seconds: float) -> Solved:
    return Solved(plan.cost, plan.violation, plan.iterations, seconds, plan.status)


def _row(name: str, method: str, s: Solved, asked: float | None = None) -> list[str]:
    ms = 1e3 * s.seconds
    goal = [NOTHING, NOTHING] if asked is None else [f"{asked:g}", verdict(ms <= asked)]
    return [name, method, f"{s.cost:.6g}", f"{s.violation:.1g}", str(s.iterations), f"{ms:.3g}", *goal, s.status]
