"""Kinds of models that tasks take: one file each; a new one is a new file and a line in `MODELS`."""

from collections.abc import Mapping
from typing import Any

from screwgraph.errors import InputError
from screwgraph.plan.models.base import ModelKind
from screwgraph.plan.models.coordinates import (
    coordinates_of,
    copy_coordinates,
    labels_of,
    list_values,
    merge_names,
    set_coordinates,
)
from screwgraph.plan.models.drive import Drive
from screwgraph.plan.models.mechanism import MECHANISMS, MechanismCoordinates
from screwgraph.plan.models.robot import ROBOTS
from screwgraph.plan.models.units import force_word, units_of

MODELS: Mapping[str, ModelKind] = {"robot": ROBOTS, "mechanism": MECHANISMS}
"""Kinds of models by name."""


def kind_of(robot: Any) -> ModelKind:
    """Return the kind of a model that a task holds. Raises InputError where it is none."""
    for kind in MODELS.values():
        if isinstance(robot, kind.held):
            return kind
    raise InputError(f"expected a {' or a '.join(MODELS)}, got {robot!r}", fix="load one: sg.load(...)")


def as_robot(model: Any) -> Any:
    """Return a model in the terms of robots, anything else as it is."""
    return next((kind.as_robot(model) for kind in MODELS.values() if isinstance(model, kind.given)), model)


__all__ = [
    "MODELS",
    "Drive",
    "MechanismCoordinates",
    "ModelKind",
    "as_robot",
    "coordinates_of",
    "copy_coordinates",
    "force_word",
    "kind_of",
    "labels_of",
    "list_values",
    "merge_names",
    "set_coordinates",
    "units_of",
]
