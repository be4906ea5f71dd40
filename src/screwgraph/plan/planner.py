"""Planning, once or again and again."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.optimize import Method, Progress, Tolerances, solve
from screwgraph.plan.guess import first_values
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.plan import Plan
from screwgraph.plan.task import Task
from screwgraph.plan.transcribe import Transcription, transcribe


class Planner:
    """Plans a task, and keeps the compiled code for the same with another start or other goals.

    `plan` is the last plan, None before the first.
    """

    def __init__(self, task: Task) -> None:
        self.mechanics = Mechanics(task.robot)
        self.transcription = transcribe(task, self.mechanics)
        self.plan: Plan | None = None

    @property
    def task(self) -> Task:
        """What is planned now."""
        return self.transcription.task

    def solve(
        self,
        *,
        warm: bool = False,
        method: str | Method = "auto",
        iterations: int = 200,
        seconds: float = np.inf,
        tolerances: Tolerances | None = None,
        callback: Callable[[Progress], Any] | None = None,
    ) -> Plan:
        """Plan, from the task's guess, or from the last plan (`warm`); other arguments as for `optimize.solve`."""
        problem, steps = self.transcription.problem, self.transcription.steps
        start: Any
        start = self.plan.result if warm and self.plan is not None else first_values(self.task, steps)
        result = solve(
            problem,
            start,
            method=method,
            iterations=iterations,
            seconds=seconds,
            tolerances=tolerances or Tolerances(violation=1e-8, dual=1e-6),
            callback=callback,
        )
        self.plan = Plan(self.transcription, result)
        return self.plan

    def change(self, **fields: Any) -> None:
        """Replace fields of the task; code is made anew only where its structure differs.

        Raises:
            InputError: a new value does not fit.
        """
        self.transcription = _kept(transcribe(replace(self.task, **fields), self.mechanics), self.transcription)


def _kept(new: Transcription, old: Transcription) -> Transcription:
    """Return a transcription that uses the code of another one, where their factors differ only in parameters."""
    problem = new.problem.like(old.problem)
    return replace(new, problem=problem)
