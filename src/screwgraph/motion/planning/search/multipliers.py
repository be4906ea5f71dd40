"""Multipliers of a plan as a start for the next one: those of the same law, so much earlier in the horizon."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.motion.planning.factors.loop_closure import make_loop_multipliers
from screwgraph.motion.planning.plan import Plan
from screwgraph.motion.planning.transcription.problem import Transcription, list_wrenches
from screwgraph.optimize import Problem
from screwgraph.optimize.constraint_rows import RowTarget

PARTS = re.compile(r"^dynamics \d+$")
"""Names of equations of motion of steps in which other feet stand."""
CONTACT = re.compile(r"^contact (\d+)")


def advance_multipliers(
    last: Plan, new: Transcription, problem: Problem, by: int, contacts: Sequence[int]
) -> dict[str, Any]:
    """Return the memory with which a search for a plan from `by` points later begins; empty where there was none.

    Where the last plan had no such law at that time, multipliers are those of the nearest time after it, or before the
    end; 0 where it had no such law. `contacts` are the numbers that the contacts had in the last plan's task.
    """
    memory, before = last.result.iterate.memory, last.result.problem.assembly
    kinds = {"y": "equalities", "z": "inequalities"}
    if any(np.shape(memory.get(k, 0.0)) != (getattr(before, rows).count,) for k, rows in kinds.items()):
        return {}
    found = {name: memory[name] for name in ("barrier", "scale") if name in memory}
    for key, rows in kinds.items():
        old = list(_laws(last.transcription, getattr(before, rows), ()))
        after = getattr(problem.assembly, rows)
        found[key] = np.zeros(after.count)
        for law in _laws(new, after, contacts):
            alike = [(o.points, o.place.view_residuals(memory[key])) for o in old if o.name == law.name]
            fitting = [
                (p, block) for p, block in alike if block.shape[1] == law.place.view_residuals(found[key]).shape[1]
            ]
            if fitting:
                points, blocks = map(np.concatenate, zip(*fitting, strict=True))
                order = np.argsort(points, kind="stable")
                at = np.searchsorted(points[order], law.points + by).clip(max=len(points) - 1)
                law.place.view_residuals(found[key])[:] = blocks[order][at]
    return found


@dataclass(frozen=True, eq=False)
class _Law:
    """Rows of hard factors of one name, where they are, and the point of time of each factor."""

    name: str
    points: Int[np.ndarray, " N"]
    place: RowTarget


def _laws(transcription: Transcription, rows: Any, contacts: Sequence[int]) -> Iterator[_Law]:
    """Yield the laws of hard factors that have a time; contacts as they were numbered before."""
    times = _points(transcription)
    for batch, place in zip(rows.batches, rows.places, strict=True):
        f = batch.factors
        first = f.arguments[0]
        if first.variables.name in times:
            points = np.broadcast_to(times[first.variables.name][first.indices], (len(f),))
            yield _Law(_name(f.name, contacts), points, place)


def _name(name: str, contacts: Sequence[int]) -> str:
    if PARTS.match(name):
        return "dynamics"
    return CONTACT.sub(lambda m: f"contact {contacts[int(m[1]) - 1] + 1}", name) if contacts else name


def _points(transcription: Transcription) -> Mapping[str, Int[np.ndarray, " N"]]:
    """Return the point of time of each unknown, by family."""
    steps = transcription.steps
    found = {"q": np.arange(len(steps.times)), "qd": np.arange(len(steps.times)), "qdd": steps.points}
    found["tau"] = steps.first if steps.collocation.holds else steps.points
    if (loops := make_loop_multipliers(steps)) is not None:
        found[loops.name] = steps.points
    return found | {w.unknowns.name: steps.points[w.samples] for w in list_wrenches(transcription.task, steps)}
