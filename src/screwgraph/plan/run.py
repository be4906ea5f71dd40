"""Planning in one call."""

from __future__ import annotations

import os
from collections.abc import Callable
from time import perf_counter
from typing import Any

import numpy as np

from screwgraph.arguments import checked
from screwgraph.optimize import Progress, Tolerances
from screwgraph.optimize.methods import Method
from screwgraph.plan.plan import Plan
from screwgraph.plan.planner import Planner
from screwgraph.plan.read import read_task
from screwgraph.plan.task import Task


@checked
def plan(
    task: Task | str | os.PathLike[str],
    *,
    method: str | Method = "auto",
    iterations: int = 200,
    seconds: float = np.inf,
    refine: bool = False,
    tolerances: Tolerances | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> Plan:
    """Plan a motion.

    Args:
        task: a `Task`, a task file, or the name of a built-in task.
        method: a method of `optimize.solve`, "auto" by default.
        iterations: the most that are taken.
        seconds: time limit (s), the making of code included, which a `Planner` goes on with in its next search.
        refine: whether steps are cut, and rules of higher order chosen, until all are as accurate as the task asks.
        tolerances: when a search has converged.
        callback: is called after each iteration; the search ends where it returns true.

    Raises:
        ModelError: the file is not a task.
        InputError: the task contradicts itself or its robot. That no plan was found is no error: see `Plan.status`.
    """
    began = perf_counter()
    planner = Planner(task if isinstance(task, Task) else read_task(task))
    return planner.solve(
        method=method,
        iterations=iterations,
        seconds=max(seconds - (perf_counter() - began), 0.0),
        refine=refine,
        tolerances=tolerances,
        callback=callback,
    )
