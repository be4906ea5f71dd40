"""Two angles that roll on each other."""

from __future__ import annotations

from typing import Any


def gear(first: Any, second: Any, *, ratio: Any, offset: Any) -> list[Any]:
    """First angle less ratio times the second, less their offset (rad)."""
    return [first - ratio * second - offset]
