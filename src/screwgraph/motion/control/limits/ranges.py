"""Velocities and positions stay within their limits, by accelerations with which joints can stop before their ends."""

from __future__ import annotations

from screwgraph.motion.control.affine import scale_affine
from screwgraph.motion.control.limits.base import PRIORITIES, Limit, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.reduced_motion import ReducedMotion


class RangeLimit(Limit):
    """Accelerations (rad/s^2, m/s^2) with which velocities and positions stay within their limits."""

    def name_rows(self, own: ReducedMotion, limits: ControlLimits) -> list[str]:
        """Return the names of coordinates with limits."""
        owners = own.controlled_model.owners
        return [f"range of {owners[bounds.along]}" for bounds in limits.list_bounds(own.model)]

    def rows(self, own: ReducedMotion, limits: ControlLimits, state: LimitedState) -> list[LimitRow]:
        """Return rows of accelerations in units of `ControlLimits.acceleration`."""
        found, scale = list[LimitRow](), 1.0 / limits.acceleration
        for bounds in limits.list_bounds(own.model):
            low, up = limits.bound_acceleration(bounds, state.q[bounds.at], state.qd[bounds.along])
            value = scale_affine(state.motion.accelerations[bounds.along], scale)
            found.append(LimitRow(value, scale * low, scale * up, PRIORITIES["motion"]))
        return found
