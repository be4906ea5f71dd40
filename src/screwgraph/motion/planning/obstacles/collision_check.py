"""Positions that are given must not be in collision."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.protocols import keeps
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.items import PositionGoal
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.task import Task

ALLOWED = 1e-9
"""Depth (m) that is rounding."""


class CollisionChecked(Protocol):
    """An item that knows how near a position is to what it must not touch."""

    @property
    def margin(self) -> float:
        """Clearance to keep (m)."""
        ...

    @property
    def sigma(self) -> float | None:
        """None for a hard limit."""
        ...

    def clearances(
        self, mechanics: Mechanics, q: Float[np.ndarray, " nq"], time: float
    ) -> list[tuple[float, str, str]]:
        """Return (clearance less the margin (m), link of the robot's sphere, what it is near to) at a time (s)."""
        ...

    def remedy(self, mechanics: Mechanics, q: Float[np.ndarray, " nq"]) -> str:
        """Return what may be done about a position at which something is too near."""
        ...


def check_given_positions(task: Task, mechanics: Mechanics) -> None:
    """See that no whole position that the task gives is in collision, or nearer than a hard margin.

    Raises:
        InputError: one is; it is named, with the link and the obstacle.
    """
    for name, item in task.items():
        if not keeps(item, CollisionChecked):
            continue
        kept = item.margin if item.sigma is None else 0.0
        for who, q, time in _iterate_given_positions(task):
            found, link, what = min(item.clearances(mechanics, q, time))
            clearance = found + item.margin
            if clearance < kept - ALLOWED:
                apart = f"{-clearance:.3g} m inside" if clearance < 0.0 else f"only {clearance:.3g} m from"
                raise InputError(
                    f"{name}: {who} a sphere on {link!r} is {apart} {what}",
                    why="that position is given" + (f", and the margin is {kept:g} m" if kept else ""),
                    fix=item.remedy(mechanics, q),
                )


def _iterate_given_positions(task: Task) -> Iterator[tuple[str, Float[np.ndarray, " nq"], float]]:
    """Yield whole positions that are given: where, and at which times (s)."""
    if task.start is not None:
        yield "at the start", complete_position(task.robot, task.start)[0], 0.0
    last = sum(phase.duration for phase in task.phases)
    words: dict[Any, tuple[float, ...]] = {"start": (0.0,), "end": (last,), "always": (0.0, last)}
    for name, item in task.items():
        if keeps(item, PositionGoal):
            q, joints = item.position(task.robot)
            times = words[item.time] if isinstance(item.time, str) else np.atleast_1d(item.time).tolist()
            if q.ndim == 1 and set(joints) == set(task.robot.joint_names):
                yield from (("at the start" if item.time == "start" else f"at {name}", q, t) for t in times)
