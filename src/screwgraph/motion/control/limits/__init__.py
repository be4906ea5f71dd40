"""What controllers keep within bounds: efforts, ranges of joints, forces, power; one kind a file."""

from collections.abc import Mapping

from screwgraph.motion.control.limits.base import FREE, PRIORITIES, Limit, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits
from screwgraph.motion.control.limits.efforts import EffortLimit, list_efforts
from screwgraph.motion.control.limits.forces import ForceLimit
from screwgraph.motion.control.limits.power import PowerLimit
from screwgraph.motion.control.limits.ranges import RangeLimit

LIMITS: Mapping[str, type[Limit]] = {
    "power": PowerLimit,
}
"""Kinds of limits that `ControlLimits.others` may have, by their keys among the limits of files."""
ALWAYS: tuple[Limit, ...] = (EffortLimit(), RangeLimit(), ForceLimit())
"""Those of every controller, in the order of their rows: what they keep, options of `ControlLimits` say."""


def list_limits(limits: ControlLimits) -> tuple[Limit, ...]:
    """Return all kinds of limits of a controller, in the order of their rows."""
    return (*ALWAYS, *limits.others)


__all__ = [
    "ALWAYS",
    "FREE",
    "LIMITS",
    "PRIORITIES",
    "ControlLimits",
    "EffortLimit",
    "ForceLimit",
    "Limit",
    "LimitRow",
    "LimitedState",
    "PowerLimit",
    "RangeLimit",
    "list_efforts",
    "list_limits",
]
