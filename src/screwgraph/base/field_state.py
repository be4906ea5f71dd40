"""State of dataclasses to be copied or pickled."""

from __future__ import annotations

from dataclasses import fields
from typing import Any


def field_state(self: Any) -> dict[str, Any]:
    """Return the fields of a dataclass alone: copies compute anew what was computed from them, code above all."""
    return {f.name: getattr(self, f.name) for f in fields(self)}
