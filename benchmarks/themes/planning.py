"""Trajectory problems with known optima: cost, violation, iterations and time together, beside IPOPT and fatrop."""

from __future__ import annotations

from collections.abc import Sequence

from benchmarks.bench import Entry, Tools
from benchmarks.tables import Remarks, Sheet
from screwgraph.plan import Plan, Planner, read_task

COLUMNS = ("task", "method", "J", "violation", "iterations", "cold guess, ms", "again from the plan, ms", "status")
TASKS = ("cp2", "cp2lim12", "acro", "panda")
NOTES = (
    "One core, wall time, best of several, code made before. cp2: a cart-pole, two timed goals, 200 steps (known "
    "optimum 101.605); cp2lim12: with 12 N (101.986); acro: an acrobot swings up, 100 steps (108.65, others exist); "
    "panda: a pose in a second, 50 steps, all limits (187.9). IPOPT and fatrop come with CasADi, on its virtual "
    "machine; their times hold the making of their program, which CasADi does anew at each call.",
)
ROUNDS = 5


def table(entries: Sequence[Entry], tools: Tools) -> Sheet:
    """Plan and time; the subjects play no part."""
    rows, remarks = [], Remarks()
    for name in TASKS:
        tools.say(f"plan {name}")
        planner = Planner(read_task(name))
        rows.append(_ours(name, planner))
        rows += [_other(name, planner, method) for method in ("ipopt", "fatrop")]
    return Sheet("Plans", COLUMNS, rows, (*NOTES, *remarks.notes()))


def _ours(name: str, planner: Planner) -> list[str]:
    planner.solve()
    plan = min((planner.solve() for _ in range(ROUNDS)), key=lambda p: p.seconds)
    again = min(planner.solve(warm=True).seconds for _ in range(ROUNDS))
    return _row(name, "interior_point", plan, plan.iterations, f"{1e3 * again:.2g}")


def _other(name: str, planner: Planner, method: str) -> list[str]:
    plan = min((planner.solve(method=method, iterations=500) for _ in range(2)), key=lambda p: p.seconds)
    told = plan.reason.partition("after ")[2].partition(" ")[0]
    return _row(name, method, plan, int(told or plan.iterations), "")


def _row(name: str, method: str, plan: Plan, iterations: int, again: str) -> list[str]:
    return [
        name,
        method,
        f"{plan.cost:.6g}",
        f"{plan.violation:.1g}",
        str(iterations),
        f"{1e3 * plan.seconds:.3g}",
        again,
        plan.status,
    ]
