"""Parameters of factors: one for all, or one for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError


@dataclass(frozen=True, eq=False)
class Each:
    """Values of a parameter, one a factor on the first axis."""

    values: Any


def each(values: Any) -> Each:
    """Say that an array has one entry a factor on its first axis, (N, ...)."""
    return Each(values)


def validate_array(what: str, value: Any) -> np.ndarray:
    """Return a value as an array of floats.

    Raises:
        InputError: it holds anything but real, finite numbers.
    """
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in "biuf":
        raise InputError(f"{what} is not an array of real numbers")
    array = np.ascontiguousarray(array, dtype=float).reshape(array.shape)
    if not np.isfinite(array).all():
        raise InputError(f"{what} is not finite", why=f"entry {np.argwhere(~np.isfinite(array))[0].tolist()}")
    return array


def split_parameters(name: str, parameters: Mapping[str, Any]) -> tuple[dict[str, np.ndarray], dict[str, np.ndarray]]:
    """Return parameters that all factors share, and those that each has of its own.

    Raises:
        InputError: one is not an array of at most two axes (besides that of the factors).
    """
    shared: dict[str, np.ndarray] = {}
    own: dict[str, np.ndarray] = {}
    for key, value in parameters.items():
        per_factor = isinstance(value, Each)
        array = validate_array(f"{name}: {key}", value.values if per_factor else value)
        axes = array.ndim - per_factor
        if not 0 <= axes <= 2 or not array.size:
            raise InputError(f"{name}: {key} has the shape {array.shape}", fix="give numbers, vectors or matrices")
        (own if per_factor else shared)[key] = array
    return shared, own
