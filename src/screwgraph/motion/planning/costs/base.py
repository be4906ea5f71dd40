"""What costs have in common: weights of joints."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, TypeVar

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.model.formats.yaml_values import Value
from screwgraph.motion.planning.task_parser import TaskParser
from screwgraph.motion.planning.template_wrappers import SelectedEntries
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.optimize import Factors, Variables

Made = TypeVar("Made")
Places = Callable[[str], tuple[int, ...]]


def read_weight(cls: Callable[..., Made], value: Value, reading: TaskParser) -> Made:
    """Read a weight, or {joint: weight}. Raises ModelError."""
    return cls(reading.joints(value))


def make_square_costs(
    steps: TrajectoryUnknowns, family: Variables, weight: Any, name: str, places: Places | None = None
) -> Iterable[Factors]:
    """Return one factor for each sample: weight * integral of the squares of a family; see `select_weights`."""
    columns, each = select_weights(weight, family.manifold.dim, places or steps.mechanics.coordinates)
    yield steps.integral(SelectedEntries(columns), family, weight=each, name=name)


def select_weights(given: Any, count: int, places: Places) -> tuple[tuple[int, ...], Float[np.ndarray, "*k"]]:
    """Return which of so many numbers cost something, and their weights; `places` are those of a name.

    Raises:
        InputError: an unknown name, or a weight that is not positive.
    """
    if isinstance(given, Mapping):
        pairs = [(c, w) for name, w in given.items() for c in places(name)]
        columns, values = tuple(c for c, _ in pairs), validate_numbers("weights", [w for _, w in pairs])
    else:
        columns, values = tuple(range(count)), validate_numbers("a weight", given)
    if values.ndim > 1 or not columns or not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(f"a weight is {given!r}", fix="give a positive number, or {joint: number, ...}")
    return columns, values
