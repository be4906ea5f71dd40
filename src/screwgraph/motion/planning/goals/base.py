"""What goals have in common: where in time they hold, and how strictly."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Int

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, each, equality, soft

Time = float | str | tuple[float, float]
"""A time (s), "start", "end", "always", or an interval."""


def find_points(steps: TrajectoryUnknowns, time: Time) -> Int[np.ndarray, " n"]:
    """Return the points of a time or interval. Raises InputError where there is none."""
    if time == "start":
        return np.array([0])
    if time == "always":
        return np.arange(len(steps.times))
    if isinstance(time, tuple):
        first, last = (steps.point(t) for t in time)
        if last <= first:
            raise InputError(f"the times {time[0]:g}..{time[1]:g} s are not an interval")
        return np.arange(first, last + 1)
    return np.array([steps.point(time)])


def make_goal_factors(
    template: Any, *unknowns: Any, sigma: float | None, name: str, at: np.ndarray, rank: int = 1
) -> Factors:
    """Return hard factors, or soft ones where there is a standard deviation.

    `at` is an array of so many axes (`rank`), or has one such array for each factor.

    Raises:
        InputError: there are not as many as factors.
    """
    value: Any = at
    if np.ndim(at) > rank:
        if len(at) != len(unknowns[0]):
            raise InputError(f"{name}: {len(at)} values for {len(unknowns[0])} points of time")
        value = each(at)
    if sigma is None:
        return equality(template, *unknowns, name=name, at=value)
    return soft(template, *unknowns, sigma=sigma, name=name, at=value)
