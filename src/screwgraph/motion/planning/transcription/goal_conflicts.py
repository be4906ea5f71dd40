"""Joint positions and velocities that goals ask for must not contradict each other, nor hard limits."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.goals.position import PositionError
from screwgraph.motion.planning.mechanics import list_flat_places
from screwgraph.motion.planning.template_wrappers import BoundViolation, EntryError
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors

APART = 1e-6
"""Differences (rad, m, rad/s, m/s) that are rounding, or nearly."""
WORDS = {"q": "position", "qd": "velocity"}


def check_goal_conflicts(steps: TrajectoryUnknowns, factors: Iterable[Factors]) -> None:
    """See that hard goals for joints, and the start, agree where they are for the same time, and keep hard limits.

    A start that was measured may differ from goals.

    Raises:
        InputError: two do not, or one does not; they are named.
    """
    listed = [f for f in factors if not (steps.is_measured and f.name.startswith("start: "))]
    for family in WORDS:
        wanted = np.full((len(steps.times), steps.mechanics.robot.nv), np.nan)
        owner = np.empty(wanted.shape, dtype=object)
        for f, points, columns, values in _iterate_demands(steps, listed, family):
            where = np.ix_(points, columns)
            off = np.abs(values - wanted[where]) > APART
            for i, j in np.argwhere(off)[:1].tolist():
                point, column = int(points[i]), int(columns[j])
                raise InputError(
                    f"{_item(f)}: joint {steps.mechanics.labels[column]!r} must have the {WORDS[family]} "
                    f"{values[i, j]:g} at t = {steps.times[point]:g} s",
                    why=f"{owner[point, column]} requires the {WORDS[family]} {wanted[point, column]:g} then",
                    fix="drop one of them",
                )
            wanted[where], owner[where] = values, _item(f)
        _check_limits(steps, listed, family, wanted, owner)


def _iterate_demands(
    steps: TrajectoryUnknowns, factors: Iterable[Factors], family: str
) -> Iterator[tuple[Factors, Int[np.ndarray, " n"], Int[np.ndarray, " c"], Float[np.ndarray, "n c"]]]:
    """Yield hard demands on plain coordinates: factors, points, columns and values."""
    flat = list_flat_places(steps.mechanics)
    for f in factors:
        if f.kind != "equality" or f.arguments[0].variables.name != family:
            continue
        if not isinstance(f.template, PositionError | EntryError) or "at" not in {*f.shared, *f.each}:
            continue
        at = np.atleast_2d(f.each["at"] if "at" in f.each else f.shared["at"])
        kept = [(i, c) for i, c in enumerate(f.template.columns) if c in flat]
        places = [flat[c] for _, c in kept] if isinstance(f.template, PositionError) else [i for i, _ in kept]
        points = f.arguments[0].indices
        yield (
            f,
            points,
            np.array([c for _, c in kept], dtype=int),
            np.broadcast_to(at, (len(points), at.shape[1]))[:, places],
        )


def _check_limits(
    steps: TrajectoryUnknowns,
    factors: Iterable[Factors],
    family: str,
    wanted: Float[np.ndarray, "K n"],
    owner: np.ndarray,
) -> None:
    column = {q: c for c, q in list_flat_places(steps.mechanics).items()}
    for f in factors:
        if (
            f.kind != "inequality"
            or f.arguments[0].variables.name != family
            or not isinstance(f.template, BoundViolation)
        ):
            continue
        points = f.arguments[0].indices
        for name, chosen, sign in (("upper", f.template.above, 1.0), ("lower", f.template.below, -1.0)):
            if name not in f.shared or not len(chosen):
                continue
            columns = np.array([column[c] if family == "q" else c for c in chosen], dtype=int)
            values = wanted[np.ix_(points, columns)]
            off = sign * (values - f.shared[name]) > APART
            for i, j in np.argwhere(off)[:1].tolist():
                joint, who = steps.mechanics.labels[columns[j]], owner[points[i], columns[j]]
                raise InputError(
                    f"{who}: joint {joint!r} must have the {WORDS[family]} {values[i, j]:g}",
                    why=f"its {name} limit is {f.shared[name][j]:g}, says {_item(f)}",
                    fix="change one of them",
                )


def _item(f: Factors) -> str:
    return f.name.partition(":")[0]
