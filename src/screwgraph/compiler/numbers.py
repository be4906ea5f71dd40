"""The types of numbers that code can compute with."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.arguments import shown
from screwgraph.robot import unknown

DTYPES = ("float64", "float32")
"""The numbers that machine code and C source can compute with."""


def dtype_name(dtype: Any) -> str:
    """Return the name of a type of numbers. Raises InputError where there is no code for it."""
    try:
        name = shown(dtype) if dtype is None else np.dtype(dtype).name  # which takes None for float64
    except (TypeError, ValueError):
        name = shown(dtype)
    if name not in DTYPES:
        raise unknown("type of numbers", name, DTYPES)
    return name
