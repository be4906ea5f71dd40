"""What costs have in common: weights of joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.formats.yaml_values import Value
from screwgraph.optimize import Factors, Variables
from screwgraph.plan.mechanics import Mechanics
from screwgraph.plan.reading import Reading
from screwgraph.plan.steps import Steps
from screwgraph.plan.templates import Chosen

Made = TypeVar("Made")


def read_weight(cls: Callable[..., Made], value: Value, reading: Reading) -> Made:
    """Read a weight, or {joint: weight}. Raises ModelError."""
    return cls(reading.joints(value))


def squares(
    steps: Steps, family: Variables, weight: Any, name: str, allowed: tuple[int, ...] | None = None, what: str = "joint"
) -> Iterable[Factors]:
    """Return one factor for each sample: weight * integral of the squares of a family; others as for `weights`."""
    columns, each = weights(steps.mechanics, weight, allowed or tuple(range(steps.mechanics.robot.nv)), what)
    yield steps.integral(Chosen(columns), family, weight=each, name=name)


def weights(
    mechanics: Mechanics, given: Any, allowed: tuple[int, ...], what: str = "joint"
) -> tuple[tuple[int, ...], Float[np.ndarray, "*k"]]:
    """Return which of the allowed coordinates cost something (as places among these), and their weights.

    Raises:
        InputError: an unknown joint, or a weight that is not positive.
    """
    if isinstance(given, Mapping):
        pairs = [(c, w) for joint, w in given.items() for c in mechanics.coordinates(joint, what)]
        for c, _ in pairs:
            if c not in allowed:
                raise InputError(f"joint {mechanics.labels[c]!r} is not {what}")
        columns, values = tuple(allowed.index(c) for c, _ in pairs), np.array([w for _, w in pairs], dtype=float)
    else:
        columns, values = tuple(range(len(allowed))), np.asarray(given, dtype=float)
    if values.ndim > 1 or not columns or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(f"a weight is {given!r}", fix="give a positive number, or {joint: number, ...}")
    return columns, values
