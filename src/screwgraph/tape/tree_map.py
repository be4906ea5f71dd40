"""Numbers inside of nested data: arrays, tuples, lists, mappings and dataclasses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import fields, is_dataclass, replace
from typing import Any

import numpy as np


def map_nested(part: Any, kind: type, change: Callable[[Any], Any]) -> Any:
    """Return nested data with all that is of a kind in it changed; what has nothing of it stays the same object."""
    if isinstance(part, kind):
        return change(part)
    if isinstance(part, np.ndarray):
        return _mapped_array(part, kind, change) if part.dtype == object else part
    if isinstance(part, tuple | list):
        made = [map_nested(item, kind, change) for item in part]
        return part if all(a is b for a, b in zip(made, part, strict=True)) else type(part)(made)
    if isinstance(part, Mapping):
        made = {name: map_nested(item, kind, change) for name, item in part.items()}
        return part if all(made[name] is part[name] for name in made) else made
    if is_dataclass(part) and not isinstance(part, type):
        own = {f.name: getattr(part, f.name) for f in fields(part) if f.init}
        made = {name: map_nested(item, kind, change) for name, item in own.items()}
        changed = {name: item for name, item in made.items() if item is not own[name]}
        return replace(part, **changed) if changed else part
    return part


def _mapped_array(array: np.ndarray, kind: type, change: Callable[[Any], Any]) -> np.ndarray:
    entries = [map_nested(entry, kind, change) for entry in array.ravel()]
    is_plain = all(isinstance(entry, int | float) for entry in entries)
    made = np.empty(array.size, dtype=float if is_plain else object)
    made[:] = entries
    return made.reshape(array.shape)
