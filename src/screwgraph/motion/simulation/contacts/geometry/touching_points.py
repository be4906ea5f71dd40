"""Points of a body at which it is near to another one: inputs of a step, a fixed number of slots for each pair."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.spatial import Array

APART = 10.0
"""Gap (m) of a slot that no point takes: too far to touch within a step."""
SLOTS, MOST_SLOTS = 4, 8
"""Points of a pair of shapes, by default and at most: corners of a rectangle that is clipped to another one."""
STEEP, LEVEL = 20.0, 1e4
"""Way along a face (m) that a metre of height outweighs, where slots are fewer than points; for the lowest of all."""


class TouchingPoint(NamedTuple):
    """A point of the own body (m), the unit normal that the other body has there, and the gap between them (m)."""

    __repr__ = one_line

    p: Float[Array, "3"]
    normal: Float[Array, "3"]
    gap: Any


class SlotInputs(NamedTuple):
    """Inputs of a step for slots: points in their frames (m), in the base's axes (m), and the planes they touch."""

    __repr__ = one_line

    at: Float[np.ndarray, "*B n 3"]
    p: Float[np.ndarray, "*B n 3"]
    planes: Float[np.ndarray, "*B n 4"]
