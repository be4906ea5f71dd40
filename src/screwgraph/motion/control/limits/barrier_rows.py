"""Rows of accelerations with which barriers stay positive."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.control.affine import combine_affine
from screwgraph.motion.control.barriers import BarrierRow
from screwgraph.motion.control.limits.base import FREE, PRIORITIES, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.reduced_motion import Motion
from screwgraph.tape import Number


def limit_barriers(
    limits: ControlLimits, motion: Motion, rows: Sequence[BarrierRow], numbers: Sequence[tuple[Number, Number]]
) -> list[LimitRow]:
    """Return rows of accelerations with which barriers stay positive; of each, its rate and margin."""
    found, scale = list[LimitRow](), 1.0 / limits.acceleration
    for row, (rate, margin) in zip(rows, numbers, strict=True):
        value = combine_affine([(scale * x, motion.accelerations[i]) for i, x in row.J.items()], 0.0)
        found.append(LimitRow(value, scale * row.bound_acceleration(rate, margin), FREE, PRIORITIES["barrier"]))
    return found
