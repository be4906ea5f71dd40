"""A horizon of contacts that moves along: what is left of the schedule, and where the search begins."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.contacts.stance import find_phases, split_runs
from screwgraph.motion.planning.costs.path import Path
from screwgraph.motion.planning.items import Item
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.phases import Phase
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches

DECIMALS = 9
"""Of times (s) less what has passed: what is left beyond is rounding."""


def check_undriven(task: Task) -> None:
    """See that no coordinate is a function of time. Raises InputError."""
    if task.robot.driven:
        raise InputError(
            f"the horizon would move on, and {', '.join(task.robot.driven)} is driven",
            why="a function of time would begin anew with each horizon",
            fix="plan the rest anew, with functions that begin later",
        )


def check_passed(steps: TrajectoryUnknowns, passed: int, recovery: float) -> None:
    """See that a horizon has so many steps, and that violations may decay in such a time (s). Raises InputError."""
    count = len(steps.first)
    if not 0 <= passed <= count:
        raise InputError(f"{passed} steps have passed", why=f"the horizon has {count}")
    if not 0.0 < recovery < np.inf:
        raise InputError(f"the time of recovery is {recovery!r}", why="it must be a positive number of seconds")


def is_scheduled(task: Task) -> bool:
    """Whether some contact is closed in some phases only."""
    return any(len(_list_closed_phases(task, c)) < len(task.phases) for c in task.contacts)


def is_bound_anew(task: Task) -> bool:
    """Whether later steps have other factors: contacts follow a schedule, obstacles move, or the start was free."""
    is_moving = any(getattr(item, "motion", None) is not None for item in task.obstacles)
    return is_moving or is_scheduled(task) or task.start is None or task.start_velocity is None


def advance_task(task: Task, steps: int, elapsed: float) -> Task:
    """Return a task from so many steps later, of as many steps: its phases, contacts and times have come nearer.

    Without a schedule, goals keep their place in the horizon. What has passed is left out, feet that are set down no
    more included; the last phase lasts so much longer.

    Args:
        task: any.
        steps: that have passed, fewer than the horizon has.
        elapsed: the same as a time (s).
    """
    obstacles = tuple(item.later(elapsed) if isinstance(item, Avoid) else item for item in task.obstacles)
    task = replace(task, obstacles=obstacles)
    if not is_scheduled(task):  # goals keep their place
        return replace(task, goals=tuple(g for g in task.goals if getattr(g, "time", None) != "start"))
    gone, left = _split_phases(task, steps)
    left[-1] = _resize_phase(left[-1], left[-1].steps + steps)
    moved = {group: _later(getattr(task, group), elapsed) for group in ("goals", "costs")}
    contacts = tuple(c for c in (_contact(task, c, gone) for c in task.contacts) if c is not None)
    return replace(task, phases=tuple(left), contacts=contacts, **moved)


def advance_values(
    old: Transcription, values: Mapping[str, np.ndarray], new: Transcription, by: int
) -> dict[str, np.ndarray]:
    """Return values to begin an advanced task with: those of `by` points later, the last ones repeated."""
    task, steps, last = new.task, new.steps, len(old.steps.times) - 1
    points = np.minimum(np.arange(len(steps.times)) + by, last)
    found = {name: values[name][points] for name in ("q", "qd")}
    samples = np.minimum(np.searchsorted(old.steps.points, steps.points + by), len(old.steps.points) - 1)
    for name in [n for n in ("qdd", "tau") if n in values]:
        count = len(values[name])
        is_held = count != len(old.steps.points)  # one torque of each step
        later = np.minimum(np.arange(count) + old.steps.count_unknowns(name, by), count - 1) if is_held else samples
        found[name] = values[name][later]
    closing = list_contacts_left(old.task, by // old.steps.per_step)
    contacts: tuple[Any, ...] = old.task.contacts
    before = [w for i in closing for w in contacts[i].wrenches(old.steps, f"contact {i + 1}")]
    for wrench, past in zip(list_wrenches(task, steps), before, strict=True):
        at = np.searchsorted(old.steps.points[past.samples], steps.points[wrench.samples] + by)
        found[wrench.unknowns.name] = values[past.unknowns.name][np.minimum(at, len(past.samples) - 1)]
    return found


def carry_on(steps: TrajectoryUnknowns, values: Mapping[str, np.ndarray], by: int) -> dict[str, np.ndarray]:
    """Return values whose last `by` points, where states are repeated, move on with constant acceleration.

    What falls goes on falling: motions of rules for steps join so, and only efforts have to be found.
    """
    end = len(steps.times) - 1 - by
    t = (steps.times[end + 1 :] - steps.times[end])[:, None]
    rate = values["qdd"][-1] if "qdd" in values else np.zeros(steps.mechanics.robot.nv)
    q, qd = values["q"].copy(), values["qd"].copy()
    for i, way in enumerate(t * qd[end] + 0.5 * t**2 * rate, end + 1):
        q[i] = steps.mechanics.robot.manifold.retract(q[end], way)
    qd[end + 1 :] = qd[end] + t * rate
    return {**values, "q": q, "qd": qd}


def drift_from(
    steps: TrajectoryUnknowns, values: Mapping[str, np.ndarray], state: Mapping[str, Any]
) -> dict[str, np.ndarray]:
    """Return values that begin at a state: all points are off by its distance, which grows with that of velocities.

    So the same efforts would lead, if the inertia did not depend on where the robot is and no force on its velocity.
    """
    manifold = steps.mechanics.robot.manifold
    off, faster = manifold.difference(values["q"][0], state["q"]), state["qd"] - values["qd"][0]
    ways = off + steps.times[:, None] * faster
    q = np.array([manifold.retract(at, way) for at, way in zip(values["q"], ways, strict=True)], dtype=float)
    return {**values, "q": q, "qd": values["qd"] + faster}


def list_contacts_left(task: Task, steps: int) -> list[int]:
    """Return the numbers of the contacts that an advanced task still has, counted from 0."""
    if not is_scheduled(task):
        return list(range(len(task.contacts)))
    gone, _ = _split_phases(task, steps)
    return [i for i, c in enumerate(task.contacts) if _contact(task, c, gone) is not None]


def _split_phases(task: Task, steps: int) -> tuple[int, list[Phase]]:
    """Return how many phases have passed after so many steps, and what is left of the others."""
    passed, left = steps, list(task.phases)
    while passed >= left[0].steps:
        passed -= left.pop(0).steps
    left[0] = _resize_phase(left[0], left[0].steps - passed)
    return len(task.phases) - len(left), left


def _list_closed_phases(task: Task, contact: Any) -> list[int]:
    return sorted(find_phases(task.phases, contact.phases))


def _resize_phase(phase: Phase, steps: int) -> Phase:
    """Return a phase of another number of steps of the same length, all equal."""
    part = steps / phase.steps
    bounds = {n: b * part for n in ("shortest", "longest") if (b := getattr(phase, n)) is not None}
    return replace(phase, steps=steps, duration=phase.duration * part, mesh=None, **bounds)


def _contact(task: Task, contact: Any, gone: int) -> Any:
    """Return a contact with what is left of its phases; None where it is closed in none of these."""
    closed = _list_closed_phases(task, contact)
    left = tuple(p - gone for p in closed if p >= gone)
    if not left:
        return None
    at = getattr(contact, "at", None)
    if at is not None and np.ndim(at) > 1:
        at = at[sum(run[-1] < gone for run in split_runs(closed)) :]
    return replace(contact, phases=left, **({} if at is None else {"at": at}))


def _later(items: tuple[Item, ...], elapsed: float) -> tuple[Item, ...]:
    found = (_path(i, elapsed) if isinstance(i, Path) else _shift_time(i, elapsed) for i in items)
    return tuple(item for item in found if item is not None)


def _path(path: Path, elapsed: float) -> Path | None:
    """Return what is left of a path, from where it is now."""
    times = np.round(np.asarray(path.times, dtype=float) - elapsed, DECIMALS)
    points = np.asarray(path.points, dtype=float)
    if times[-1] <= 0.0:
        return None
    here = np.array([np.interp(0.0, times, column) for column in points.T])
    ahead = times > 0.0
    if times[0] < 0.0:
        times, points = np.append(0.0, times[ahead]), np.concatenate([here[None], points[ahead]])
    return replace(path, times=times, points=points)


def _shift_time(item: Any, elapsed: float) -> Any:
    """Return an item of goals or costs with its time, if it has any, less what has passed; None if it has passed."""
    time = getattr(item, "time", None)
    if time == "start":
        return None
    if isinstance(time, tuple):
        a, b = (round(t - elapsed, DECIMALS) for t in time)
        return replace(item, time=(max(a, 0.0), b)) if b > 0.0 else None
    if isinstance(time, int | float):
        left = round(time - elapsed, DECIMALS)
        return replace(item, time=left) if left > 0.0 else None
    return item
