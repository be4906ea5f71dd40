"""What contacts of task files have in common."""

from __future__ import annotations

from typing import Any

from screwgraph.model.formats.yaml_keys import Keys
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.contacts.base import LEVELS
from screwgraph.motion.planning.task_parser import TaskParser


def read_common(
    value: Value, reading: TaskParser, keys: Keys, needed: tuple[str, ...] = ()
) -> tuple[dict[str, Value], dict[str, Any]]:
    """Return all entries of a contact, and what those that every contact has mean, by field.

    Raises:
        ModelError: an entry is unknown, missing, or of the wrong kind.
    """
    entries = value.section(keys)
    for key in ("frame", *needed):
        if key not in entries:
            raise value.complaint(f"it must have a {key}")
    found: dict[str, Any] = {"frame": reading.frame(entries["frame"])}
    numbers = ("friction", "ground", "threshold", "settling", "swing")
    found |= {key: reading.number(entries[key]) for key in numbers if key in entries}
    if "sigma" in entries:
        found["sigma"] = reading.sigma(entries["sigma"])
    if "normal" in entries:
        found["normal"] = tuple(reading.vector(entries["normal"], 3))
    if "level" in entries:
        found["level"] = reading.word(entries["level"], LEVELS)
    if "clearance" in entries:
        found["clearance"] = entries["clearance"].switch()
    if "phases" in entries:
        found["phases"] = read_phases(entries)
    if "at" in entries:
        found["at"] = _footholds(entries["at"], reading)
    return entries, found


def read_phases(entries: dict[str, Value]) -> tuple[str | int, ...]:
    """Return the names or numbers of phases. Raises ModelError."""
    return tuple(_phase(item) for item in entries["phases"].items())


def _phase(value: Value) -> str | int:
    text = value.text()
    return int(text) if text.isdecimal() else text


def _footholds(value: Value, reading: TaskParser) -> Any:
    """Read one point, or a list of points, one for each time that the foot is set down."""
    items = value.items()
    if items and isinstance(items[0].content, tuple):
        return tuple(tuple(p.numbers(reading.names, 3)) for p in items)
    return reading.vector(value, 3)
