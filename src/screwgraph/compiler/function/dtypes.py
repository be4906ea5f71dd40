"""The types of numbers that code can compute with."""

from __future__ import annotations

from typing import Any

import numpy as np

from screwgraph.base.argument_checks import describe_value
from screwgraph.model.robot import make_unknown_name_error

DTYPES = ("float64", "float32")
"""The numbers that machine code and C source can compute with."""


def validate_dtype(dtype: Any) -> str:
    """Return the name of a type of numbers. Raises InputError where there is no code for it."""
    try:
        name = describe_value(dtype) if dtype is None else np.dtype(dtype).name  # which takes None for float64
    except (TypeError, ValueError):
        name = describe_value(dtype)
    if name not in DTYPES:
        raise make_unknown_name_error("type of numbers", name, DTYPES)
    return name
