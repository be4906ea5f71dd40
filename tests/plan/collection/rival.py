"""IPOPT on the nonlinear program of a task, from the first guess of the planner."""

from __future__ import annotations

from dataclasses import dataclass
from time import perf_counter

import numpy as np

from screwgraph.optimize.methods.kkt import Kkt
from screwgraph.optimize.methods.nlp import program
from screwgraph.plan import Planner
from screwgraph.plan.guess import first_values
from screwgraph.plan.plan import FEASIBLE

OPTIONS = {"tol": 1e-6, "constr_viol_tol": 1e-8, "print_level": 0, "sb": "yes", "max_iter": 1000}
"""Tolerances are those of the planner."""
CASADI = {"print_time": False, "record_time": True, "error_on_fail": False}


@dataclass(frozen=True)
class Found:
    """How IPOPT ended; its time (s) in all, and without that of functions and derivatives."""

    solved: bool
    said: str
    seconds: float
    own_seconds: float


def ipopt(planner: Planner, seconds: float) -> Found:
    """Solve the same program from the same guess; the making of functions and derivatives is not counted."""
    import casadi as ca

    work, task = planner.transcription, planner.task
    assembly = work.problem.assembly
    x = work.problem.start(first_values(task, work.steps))
    nlp, lower, upper = program(assembly, x)
    options = {f"ipopt.{name}": value for name, value in (OPTIONS | {"max_wall_time": seconds}).items()}
    solver = ca.nlpsol("solver", "ipopt", nlp, {**CASADI, **options})
    start, began = np.zeros(assembly.layout.size), perf_counter()
    d = np.asarray(solver(x0=start, lbg=lower, ubg=upper)["x"])[:, 0]
    passed = perf_counter() - began
    stats = solver.stats()
    violation = Kkt(assembly).model(assembly.layout.moved(x, d)).violation
    called = sum(v for name, v in stats.items() if name.startswith("t_wall_nlp"))
    solved = bool(stats["success"] and violation <= FEASIBLE)
    return Found(solved, str(stats["return_status"]), passed, passed - called)
