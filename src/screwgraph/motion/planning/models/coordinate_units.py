"""Units of coordinates, of any kind of model."""

from __future__ import annotations

from collections.abc import Sequence

UNITS = {
    "position": ("rad", "m"),
    "velocity": ("rad/s", "m/s"),
    "acceleration": ("rad/s²", "m/s²"),
    "jerk": ("rad/s³", "m/s³"),
    "force": ("N m", "N"),
}
"""By quantity: of coordinates that turn, and of those that slide."""
WORDS = dict(zip(UNITS["force"], ("torque", "force"), strict=True))


def list_units(turns: Sequence[bool], quantity: str) -> tuple[str, ...]:
    """Return the unit of a quantity of each velocity coordinate."""
    turning, sliding = UNITS[quantity]
    return tuple(turning if t else sliding for t in turns)


def name_effort(unit: str) -> str:
    """Return what an effort of that unit is called."""
    return WORDS.get(unit, "effort")
