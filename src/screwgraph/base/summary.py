"""One line for every object: what `repr` shows of those whose fields would fill pages."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

import numpy as np

LONGEST = 160
"""Characters of a line."""
SHORT = 40
"""Characters of a value inside a line; longer ones are summarised."""


def one_line(self: Any) -> str:
    """Return `<Name field: value, ...>` of a dataclass or named tuple: arrays by shape, collections by length.

    Use it as `__repr__ = one_line` in a class of many values.
    """
    parts, left = [], LONGEST - len(type(self).__name__)
    for name in getattr(self, "_fields", ()) or [field.name for field in fields(self)]:
        part = f"{name}: {_brief(getattr(self, name))}"
        if len(part) + 2 > left - 3:
            parts.append("...")
            break
        parts.append(part)
        left -= len(part) + 2
    return f"<{type(self).__name__} {', '.join(parts)}>"


def _brief(value: Any) -> str:
    if isinstance(value, np.ndarray):
        return f"{' x '.join(map(str, value.shape)) or 'scalar'} array"
    if isinstance(value, Mapping | list | tuple | set | frozenset) and not hasattr(value, "_fields"):
        return _collection(value)
    if callable(value) and hasattr(value, "__name__"):
        return value.__name__
    name = getattr(value, "name", None)
    if isinstance(name, str) and not isinstance(value, str | tuple) and len(name) < SHORT:
        return f"{type(value).__name__} {name!r}"
    text = str(value) if isinstance(value, tuple) else repr(value)  # named tuples have a short name
    if len(text) <= SHORT and "\n" not in text:
        return text
    return f"{text[: SHORT - 3]}...'" if isinstance(value, str) else type(value).__name__


def _collection(values: Any) -> str:
    kinds = {type(value).__name__ for value in (values.values() if isinstance(values, Mapping) else values)}
    if len(values) <= 4 and kinds <= {"str", "int", "float", "bool"}:
        text = repr(values)
        if len(text) <= SHORT:
            return text
    return f"{len(values)} {kinds.pop() if len(kinds) == 1 else 'values'}" if values else repr(values)
