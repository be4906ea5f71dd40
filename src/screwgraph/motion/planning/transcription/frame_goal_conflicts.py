"""What goals ask of frames must not contradict other goals for these, nor states that are given."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.protocols import keeps
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.violation import DescribedTemplate, Violation
from screwgraph.optimize import Factors

APART = 1e-6
"""Differences (rad, m, rad/s, m/s) that are rounding, or nearly."""
AT = "at"
"""The parameter of goals that says what they ask for."""


def check_frame_goals(steps: TrajectoryUnknowns, factors: Iterable[Factors]) -> None:
    """See that hard goals ask for one thing of a frame at a time, and for what given states have.

    Where all velocities are given as zero, no frame moves, whatever the position. A start that was measured may differ.

    Raises:
        InputError: two goals, or a goal and a given state, do not agree; they are named.
    """
    known: dict[Any, tuple[Factors, np.ndarray]] = {}
    for f in factors:
        if f.kind != "equality" or not f.name.startswith("goal ") or AT not in {*f.shared, *f.each}:
            continue
        if {a.variables.name for a in f.arguments} - {"q", "qd"}:
            continue
        item, _, part = f.name.partition(": ")
        for k, (points, at) in enumerate(_iterate_instants(f)):
            before, other = known.setdefault((f.template, points), (f, at))
            if before is not f and other.shape == at.shape and np.abs(other - at).max() > APART:
                first, numbers = before.name.partition(":")[0], at.ndim == 1 and at.size <= 3
                raise InputError(
                    f"{item}: the {part} of {_owner(f)} must be {_write(at) if numbers else 'another one'} at "
                    f"{_when(steps, points)}",
                    why=f"{first} requires {_write(other) if numbers else 'one'} then",
                    fix="drop one of them",
                )
            if len(set(points)) == 1:
                _check_given_state(steps, f, k, points[0], at)


def _iterate_instants(f: Factors) -> Iterator[tuple[tuple[int, ...], np.ndarray]]:
    """Yield for each factor the points of its unknowns, and what it asks for."""
    for k in range(len(f)):
        points = tuple(int(a.indices[k if len(a) > 1 else 0]) for a in f.arguments)
        yield points, f.shared[AT] if AT in f.shared else f.each[AT][k if len(f.each[AT]) > 1 else 0]


def _check_given_state(steps: TrajectoryUnknowns, f: Factors, number: int, point: int, at: np.ndarray) -> None:
    """See that one of the factors holds where the state at its point is given. Raises InputError."""
    if steps.is_measured and point == 0:
        return
    state = {family: steps.given[family].get(point) for family in ("q", "qd")}
    asked = [a.variables.name for a in f.arguments]
    if state["q"] is None and "qd" in asked and state["qd"] is not None and not state["qd"].any():
        state["q"] = steps.mechanics.robot.neutral()
    given = [state[family] for family in asked]
    if any(x is None for x in given) or {*f.shared, *f.each} != {AT}:
        return
    r = np.asarray(f.template(*given, at=at), dtype=float)
    if np.abs(r).max() > APART:
        item, _, part = f.name.partition(": ")
        violation = Violation(r, asked[0], f.shared, steps.mechanics, steps.drive)
        words = f.template.describe(violation) if keeps(f.template, DescribedTemplate) else ""
        words = words or f"the {part} of {_owner(f)} is off by {np.abs(r).max():.3g}"
        what = {"q": "position", "qd": "velocity"}["qd" if "qd" in asked else "q"]
        raise InputError(
            f"{item}: {words} at {_when(steps, (point,))}",
            why=f"the {what} of all joints is given there",
            fix="drop one of them, or have it at another time",
        )


def _owner(f: Factors) -> str:
    frame = getattr(f.template, "frame", "")
    return f"frame {frame!r}" if frame else "the robot"


def _when(steps: TrajectoryUnknowns, points: tuple[int, ...]) -> str:
    return f"t = {steps.times[max(points)]:g} s"


def _write(at: Float[np.ndarray, " n"]) -> str:
    return f"({', '.join(f'{x:g}' for x in at)})"
