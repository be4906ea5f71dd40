"""Keys of our YAML formats: what each means, how it is written, its unit, its default; readers accept no others."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

REQUIRED = "required"
NONE = "none"


class Entry(NamedTuple):
    """A key: its meaning, how its value is written, its unit, and what it is where it is left out."""

    meaning: str
    form: str = "text"
    unit: str = ""
    default: str = NONE


Keys = Mapping[str, Entry]
VECTOR = "[x, y, z]"
NUMBER = "number"
SWITCH = "yes or no"

POSE: Keys = {
    "at": Entry("origin of the frame", VECTOR, "m", "[0, 0, 0]"),
    "rpy": Entry("roll, pitch and yaw of the frame, about fixed axes", "[r, p, y]", "rad", "[0, 0, 0]"),
}
"""A pose, in the frame of what it belongs to."""
