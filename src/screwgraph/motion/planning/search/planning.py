"""Planning in one call."""

from __future__ import annotations

import os
import pickle
from collections.abc import Callable
from copy import copy
from dataclasses import dataclass, field
from functools import lru_cache
from time import perf_counter
from typing import Any, cast

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.search.planner import Planner
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.task_files import read_task
from screwgraph.motion.planning.timing.timed_path import time_path
from screwgraph.optimize import Progress, Tolerances
from screwgraph.optimize.methods import Method

KEPT = 4
"""Code of so many tasks is kept for when they are planned again."""


@check_arguments
def plan(
    task: Task | str | os.PathLike[str],
    *,
    method: str | Method = "auto",
    iterations: int = 200,
    seconds: float = np.inf,
    refine: bool | None = None,
    tolerances: Tolerances | None = None,
    callback: Callable[[Progress], Any] | None = None,
) -> Plan:
    """Plan a motion; the code of the last tasks is kept for when the same ones are planned again.

    A task with an exact `path` gives a `TimedPath`: the fastest motion along it.

    Args:
        task: a `Task`, a task file, or the name of a built-in task.
        method: a method of `optimize.solve`, "auto" by default.
        iterations: the most that are taken.
        seconds: time limit (s), the making of code included, which a `Planner` goes on with in its next search.
        refine: whether steps are cut, and rules of higher order chosen, until all are as accurate as the task asks;
            None: where nothing drives the robot as a whole, and goals are reached by cyclic motions of its joints (by
            Hermite-Simpson's rule); and, for up to 60 s, where up to 8 degrees of freedom are not all driven, or a
            linkage has one.
        tolerances: when a search has converged.
        callback: is called after each iteration; the search ends where it returns true.

    Raises:
        ModelError: the file is not a task.
        InputError: the task contradicts itself or its robot. That no plan was found is no error: see `Plan.status`.
    """
    began = perf_counter()
    task = task if isinstance(task, Task) else read_task(task)
    if task.path is not None:
        return cast("Plan", time_path(task))
    planner = _planner(task)
    return planner.solve(
        method=method,
        iterations=iterations,
        seconds=max(seconds - (perf_counter() - began), 0.0),
        refine=refine,
        tolerances=tolerances,
        callback=callback,
    )


@dataclass(frozen=True)
class _Content:
    """A task, equal to others of the same content."""

    pickled: bytes
    task: Task = field(compare=False)


def _planner(task: Task) -> Planner:
    """Return a planner of a task, with the code of the last one of an equal task."""
    try:
        pickled = pickle.dumps(task)
    except (pickle.PicklingError, AttributeError, TypeError):  # it holds a function of the user's
        return Planner(task)
    return copy(_first_planner(_Content(pickled, task)))


@lru_cache(maxsize=KEPT)
def _first_planner(content: _Content) -> Planner:
    return Planner(content.task)
