"""What goals have in common: how strictly they hold."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.optimize import Factors, each, equality, soft


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
