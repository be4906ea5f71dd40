"""Fewer states of a motion: screens show some thirty a second."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

RATE = 30.0
"""States a second of motion."""
MOST = 1200
"""States in all: twenty bodies' poses are then 0.9 MB in a page."""


def select_states(t: Float[np.ndarray, " N"], rate: float = RATE, most: int = MOST) -> np.ndarray:
    """Return which states are nearest to a regular grid of times of `rate` (1/s), at most `most`, ends included."""
    length = float(t[-1] - t[0])
    count = min(int(np.ceil(length * rate)) + 1, most, len(t))
    if count >= len(t):
        return np.arange(len(t))
    wanted = np.linspace(t[0], t[-1], max(count, 2))
    after = np.clip(np.searchsorted(t, wanted), 1, len(t) - 1)
    return np.unique(np.where(wanted - t[after - 1] < t[after] - wanted, after - 1, after))


def thin_states(
    t: Float[np.ndarray, " N"], *arrays: Float[np.ndarray, "N ..."], rate: float = RATE
) -> tuple[np.ndarray, ...]:
    """Return times and arrays over time with about `rate` states a second (1/s)."""
    keep = select_states(t, rate)
    return (t[keep], *(array[keep] for array in arrays))


def thin_trail(trail: Any, count: int, keep: np.ndarray) -> Any:
    """Return a trail with some of its states, if it has as many."""
    is_moving = np.ndim(trail.points) == 3 and len(trail.points) == count
    return replace(trail, points=trail.points[keep]) if is_moving else trail
