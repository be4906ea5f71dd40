"""What is left of a plan, as a start for the search for the next one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, cast

import numpy as np

from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.search.multipliers import advance_multipliers
from screwgraph.motion.planning.search.receding_horizon import carry_on, drift_from, list_contacts_left
from screwgraph.motion.planning.transcription.problem import Transcription
from screwgraph.optimize import Problem, Result, shift_result
from screwgraph.optimize.result import Iterate


def continue_plan(last: Plan, new: Transcription, by: int, is_new: bool) -> Plan:
    """Return what is left of the last plan from `by` points later, then its last efforts and accelerations.

    Where factors are bound anew, the new task's guess has its values.
    """
    problem, work = new.problem, last.transcription.steps
    if is_new:
        x = problem.start(select_unknown(new, cast("Mapping", new.task.guess)))
    else:
        moved = {v.name: work.count_unknowns(v.name, by) for v in problem.families}
        x = shift_result(last.result, moved).iterate.x
    x = problem.layout.pack(carry_on(new.steps, problem.layout.unpack(x), by))
    iterate = Iterate(x, np.nan, np.inf, memory=_advance_memory(last, new, problem, by))
    return Plan(new, replace(last.result, problem=problem, iterate=iterate, iterations=0, seconds=0.0))


def drift_plan(last: Plan, ahead: Plan, problem: Problem, by: int) -> Result:
    """Return the start of a search for what softer factors allow, from `ahead`, moved to where the task begins."""
    task, new = ahead.task, ahead.transcription
    x = problem.layout.pack(drift_from(new.steps, ahead.result.values, {"q": task.start, "qd": task.start_velocity}))
    memory = _advance_memory(last, new, problem, by)
    return replace(ahead.result, problem=problem, iterate=replace(ahead.result.iterate, x=x, memory=memory))


def select_unknown(transcription: Transcription, values: Mapping[str, np.ndarray]) -> dict[str, Any]:
    """Return the values of families that do not follow from others."""
    following = {family.name for family, _ in transcription.followers}
    return {name: value for name, value in values.items() if name not in following}


def _advance_memory(last: Plan, new: Transcription, problem: Problem, by: int) -> dict[str, Any]:
    left = list_contacts_left(last.task, by // last.transcription.steps.per_step)
    return advance_multipliers(last, new, problem, by, left)
