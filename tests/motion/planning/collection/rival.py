"""IPOPT on the nonlinear program of a task, from the first guess of the planner."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from time import process_time

import numpy as np

from screwgraph.motion.planning import Plan, Planner
from screwgraph.motion.planning.guesses.initial_guess import make_initial_values
from screwgraph.motion.planning.plan import FEASIBLE
from screwgraph.optimize.methods.casadi_nlp import make_iterate, make_nlp
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.result import Result, Status

OPTIONS = {"tol": 1e-6, "constr_viol_tol": 1e-8, "print_level": 0, "sb": "yes", "max_iter": 1000}
"""Tolerances are those of the planner."""
CASADI = {"print_time": False, "record_time": True, "error_on_fail": False}
COMPILED = {"jit": True, "compiler": "shell", "jit_options": {"compiler": "cc", "flags": ["-O1"]}}
"""Functions and derivatives are written as C and compiled; higher levels of optimisation take many minutes."""
THROUGH = "through an obstacle"
RUNS, LONG = 50, 1.0
"""Runs whose times are compared, while all together take less than so long (s)."""


@dataclass(frozen=True)
class Found:
    """How IPOPT ended; its CPU time (s) in all, and without that of functions and derivatives."""

    solved: bool
    said: str
    seconds: float
    own_seconds: float


def ipopt(planner: Planner, seconds: float, *, compiled: bool = False) -> Found:
    """Solve the same program from the same guess; the making of functions and derivatives is not counted.

    Motions that carry the centre of one of the robot's spheres through an obstacle, between points, are no solutions.
    """
    import casadi as ca

    work, task = planner.transcription, planner.task
    assembly = work.problem.assembly
    x = work.problem.start(make_initial_values(task, work.steps))
    nlp, lower, upper = make_nlp(assembly, x)
    options = {f"ipopt.{name}": value for name, value in (OPTIONS | {"max_cpu_time": seconds}).items()}
    solver = ca.nlpsol("solver", "ipopt", nlp, {**CASADI, **(COMPILED if compiled else {}), **options})
    start, d, called = np.zeros(assembly.layout.size), np.zeros(assembly.layout.size), np.inf

    def run() -> None:
        nonlocal d, called
        d = np.asarray(solver(x0=start, lbg=lower, ubg=upper)["x"])[:, 0]
        called = min(called, sum(v for name, v in solver.stats().items() if name.startswith("t_proc_nlp")))

    passed, stats = least_time(run), solver.stats()
    end = assembly.layout.retract(x, d)
    solved, said = (
        bool(stats["success"] and KktSystem(assembly).model(end).violation <= FEASIBLE),
        stats["return_status"],
    )
    if solved and _through(planner, end):
        solved, said = False, THROUGH
    return Found(solved, str(said), passed, passed - called)


def least_time(run: Callable[[], object]) -> float:
    """Return the least CPU time (s) of many runs, of long ones that of the first: others use the processor, too."""
    times: list[float] = []
    while len(times) < RUNS and sum(times) < LONG:
        began = process_time()
        run()
        times.append(process_time() - began)
    return min(times)


def _through(planner: Planner, x: np.ndarray) -> bool:
    """Whether the centre of a sphere is in an obstacle between points."""
    work = planner.transcription
    found = Result(work.problem, make_iterate(work.problem.assembly, x, 0.0), 0, 0.0, Status.CONVERGED, "", "ipopt")
    return any(t.depth > t.watched.factors.shared["spheres"][:, 3].min() for t in Plan(work, found).touches)
