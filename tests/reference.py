"""Reference values from closed forms and other programs, never from this package."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

FILE = Path(__file__).with_name("reference_values.json")


def reference(name: str) -> Any:
    """Return the entry of this name; its `source` says where it is from, its `tol` is the relative tolerance."""
    return json.loads(FILE.read_text())[name]
