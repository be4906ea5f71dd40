"""What errors of a motion are relative to: the length of its way, its largest velocity."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line

SHORT = 1e-2
"""A way (rad, m) that is shorter counts as so long."""


@dataclass(frozen=True, eq=False)
class MotionScales:
    """Scales of a motion's errors: of each coordinate, the largest among those of the same unit.

    Args:
        way: length of the whole way (rad, m).
        top: largest velocity (rad/s, m/s).
        turns: whether a coordinate turns.
    """

    __repr__ = one_line

    way: Float[np.ndarray, " nv"]
    top: Float[np.ndarray, " nv"]
    turns: np.ndarray


def measure_motion(turning: Sequence[bool], t: Float[np.ndarray, " K"], qd: Float[np.ndarray, "K nv"]) -> MotionScales:
    """Return the scales of a planned motion; `turning` tells which coordinates turn."""
    turns, whole = np.array(turning), t[-1] - t[0]
    way = spread_by_unit(0.5 * np.diff(t) @ (np.abs(qd[1:]) + np.abs(qd[:-1])), turns)
    top = spread_by_unit(np.abs(qd).max(axis=0), turns)
    return MotionScales(np.maximum(way, SHORT), np.maximum(top, SHORT / whole), turns)


def spread_by_unit(sizes: Float[np.ndarray, "*n nv"], turns: np.ndarray) -> Any:
    """Return for each coordinate the largest size among those of the same unit."""
    found = np.empty_like(sizes)
    for chosen in (turns, ~turns):
        if chosen.any():
            found[..., chosen] = sizes[..., chosen].max(axis=-1, keepdims=True)
    return found
