"""Vectors that users give."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import convert_numbers
from screwgraph.base.errors import InputError


def finite_vector(values: Any, size: int, what: str, why: str = "", fix: str = "") -> Float[np.ndarray, " size"]:
    """Return so many finite numbers as an array of their own. Raises InputError for anything else."""
    try:
        vector = convert_numbers(values).copy()
    except (TypeError, ValueError):
        vector = np.full(size + 1, np.nan)
    if vector.shape != (size,) or not np.isfinite(vector).all():
        raise InputError(f"{what} is not {size} finite numbers", why=why, fix=fix)
    return vector
