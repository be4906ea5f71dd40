"""A horizon of contacts that moves along: what is left of the schedule, and where the search begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.errors import InputError
from screwgraph.plan.contacts.stance import phase_numbers, runs_of
from screwgraph.plan.costs.path import Path
from screwgraph.plan.items import Item
from screwgraph.plan.phases import Phase
from screwgraph.plan.steps import Steps
from screwgraph.plan.task import Task
from screwgraph.plan.transcribe import Transcription, wrenches


def is_scheduled(task: Task) -> bool:
    """Whether some contact is closed in some phases only."""
    return any(len(_closed(task, c)) < len(task.phases) for c in task.contacts)


def advanced(task: Task, steps: int, elapsed: float) -> Task:
    """Return a task from so many steps later, of as many steps: its phases, contacts and times have come nearer.

    What has passed is left out; the last phase lasts so much longer.

    Args:
        task: any.
        steps: that have passed, fewer than the horizon has.
        elapsed: the same as a time (s).

    Raises:
        InputError: a foot is set down no more, so that nothing says what becomes of it.
    """
    passed, left = steps, list(task.phases)
    while passed >= left[0].steps:
        passed -= left.pop(0).steps
    gone = len(task.phases) - len(left)
    left[0] = _of(left[0], left[0].steps - passed)
    left[-1] = _of(left[-1], left[-1].steps + steps)
    moved = {group: _later(getattr(task, group), elapsed) for group in ("goals", "costs")}
    contacts = tuple(_contact(task, c, gone) for c in task.contacts)
    return replace(task, phases=tuple(left), contacts=contacts, **moved)


def values_ahead(
    old: Transcription, values: Mapping[str, np.ndarray], task: Task, steps: Steps, by: int
) -> dict[str, np.ndarray]:
    """Return values to begin an advanced task with: those of `by` points later, the last ones repeated."""
    last = len(old.steps.times) - 1
    points = np.minimum(np.arange(len(steps.times)) + by, last)
    found = {name: values[name][points] for name in ("q", "qd")}
    ahead, before = wrenches(task, steps), wrenches(old.task, old.steps)
    for new, past in zip(ahead, before, strict=True):
        at = np.searchsorted(old.steps.points[past.samples], steps.points[new.samples] + by)
        found[new.unknowns.name] = values[past.unknowns.name][np.minimum(at, len(past.samples) - 1)]
    return found


def _closed(task: Task, contact: Any) -> list[int]:
    return sorted(phase_numbers(task.phases, contact.phases))


def _of(phase: Phase, steps: int) -> Phase:
    """Return a phase of another number of steps of the same length, all equal."""
    part = steps / phase.steps
    bounds = {n: b * part for n in ("shortest", "longest") if (b := getattr(phase, n)) is not None}
    return replace(phase, steps=steps, duration=phase.duration * part, mesh=None, **bounds)


def _contact(task: Task, contact: Any, gone: int) -> Any:
    closed = _closed(task, contact)
    left = tuple(p - gone for p in closed if p >= gone)
    if not left:
        raise InputError(
            f"{contact.frame!r} has no touchdown in the rest of the schedule",
            fix="planner.change(phases=..., contacts=...) says how the schedule goes on",
        )
    at = contact.at
    if at is not None and np.ndim(at) > 1:
        at = at[sum(run[-1] < gone for run in runs_of(closed)) :]
    return replace(contact, phases=left, at=at)


def _later(items: tuple[Item, ...], elapsed: float) -> tuple[Item, ...]:
    found = (_path(i, elapsed) if isinstance(i, Path) else _timed(i, elapsed) for i in items)
    return tuple(item for item in found if item is not None)


def _path(path: Path, elapsed: float) -> Path | None:
    """Return what is left of a path, from where it is now."""
    times, points = np.asarray(path.times, dtype=float) - elapsed, np.asarray(path.points, dtype=float)
    if times[-1] <= 0.0:
        return None
    here = np.array([np.interp(0.0, times, column) for column in points.T])
    ahead = times > 0.0
    if times[0] < 0.0:
        times, points = np.append(0.0, times[ahead]), np.concatenate([here[None], points[ahead]])
    return replace(path, times=np.round(times, 9), points=points)


def _timed(item: Any, elapsed: float) -> Any:
    """Return an item of goals or costs with its time, if it has any, less what has passed; None if it has passed."""
    time = getattr(item, "time", None)
    if time == "start":
        return None
    if isinstance(time, tuple):
        a, b = (round(t - elapsed, 9) for t in time)
        return replace(item, time=(max(a, 0.0), b)) if b > 0.0 else None
    if isinstance(time, int | float):
        return replace(item, time=round(time - elapsed, 9)) if time > elapsed else None
    return item
