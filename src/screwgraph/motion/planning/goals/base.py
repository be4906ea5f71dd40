"""What goals have in common: how strictly they hold."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import partial
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.factors.between_points import list_demands
from screwgraph.motion.planning.trajectory_unknowns import Time, TrajectoryUnknowns
from screwgraph.optimize import Factors, each, equality, soft


def make_goal_factors(
    steps: TrajectoryUnknowns,
    time: Time,
    template: Any,
    *families: str,
    sigma: float | None,
    name: str,
    at: np.ndarray,
    rank: int = 1,
    left_out: Collection[int] = (),
) -> Iterator[Factors]:
    """Return factors at a time or in an interval, hard ones, or soft ones where there is a standard deviation.

    `families`, some of q, qd and qdd, are what the template takes; `left_out` are points at which nothing is asked for.
    `at` is an array of so many axes (`rank`), or has one such array for each instant.

    Raises:
        InputError: there is no such time, or there are not as many values as instants.
    """
    count = len(steps.times_at(time))
    if np.ndim(at) > rank and len(at) != count:
        raise InputError(f"{name}: {len(at)} values for {count} points of time")
    for demand in list_demands(steps, template, families, time, left_out):
        value: Any = each(at[demand.chosen]) if np.ndim(at) > rank else at
        make = equality if sigma is None else partial(soft, sigma=sigma)
        yield make(demand.template, *demand.unknowns, name=f"{name}{demand.suffix}", at=value, **demand.parameters)
