"""Efforts of motors stay within their limits."""

from __future__ import annotations

import numpy as np

from screwgraph.motion.control.affine import scale_affine
from screwgraph.motion.control.limits.base import FREE, PRIORITIES, Limit, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.reduced_motion import ReducedMotion


class EffortLimit(Limit):
    """Efforts of motors within those of the file, or of `ControlLimits.efforts`."""

    def name_rows(self, own: ReducedMotion, limits: ControlLimits) -> list[str]:
        """Return the names of motors with limits."""
        return [f"effort of {own.motors.names[k]}" for k, *_ in list_efforts(own, limits)]

    def rows(self, own: ReducedMotion, limits: ControlLimits, state: LimitedState) -> list[LimitRow]:
        """Return rows of efforts in units of their limits."""
        found = list[LimitRow]()
        for k, low, up in list_efforts(own, limits):
            unit = max(1.0, *(abs(x) for x in (low, up) if np.isfinite(x)))
            value = scale_affine(state.motion.efforts[k], 1.0 / unit)
            lower, upper = (x / unit if np.isfinite(x) else float(np.sign(x)) * FREE for x in (low, up))
            found.append(LimitRow(value, lower, upper, PRIORITIES["effort"]))
        return found


def list_efforts(own: ReducedMotion, limits: ControlLimits) -> list[tuple[int, float, float]]:
    """Return the motors whose efforts have limits, and these: the least and the largest (N m, N)."""
    bounds = enumerate(limits.bound_efforts(own.motors))
    return [(k, low, up) for k, (low, up) in bounds if limits.effort and np.isfinite([low, up]).any()]
