"""Kinds of models that tasks take: one file each; a new one is a new file and a line in `MODELS`."""

from collections.abc import Mapping
from typing import Any

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.models.base import ModelKind
from screwgraph.motion.planning.models.coordinates import (
    check_named_once,
    copy_coordinates,
    find_coordinates,
    find_joint,
    label_coordinates,
    list_units,
    list_values,
    merge_names,
    name_effort,
    set_coordinates,
)
from screwgraph.motion.planning.models.drive import Drive
from screwgraph.motion.planning.models.mechanism import MECHANISMS, MechanismCoordinates
from screwgraph.motion.planning.models.robot import ROBOTS

MODELS: Mapping[str, ModelKind] = {"robot": ROBOTS, "mechanism": MECHANISMS}
"""Kinds of models by name."""


def find_model_kind(robot: Any) -> ModelKind:
    """Return the kind of a model that a task holds. Raises InputError where it is none."""
    kind = MODELS.get(getattr(robot, "kind", ""))
    if kind is None:
        raise InputError(f"expected a {' or a '.join(MODELS)}, got {robot!r}", fix="load one: sg.load(...)")
    return kind


def as_robot(model: Any) -> Any:
    """Return a model in the terms of robots, anything else as it is."""
    kind = MODELS.get(getattr(model, "kind", ""))
    return model if kind is None else kind.as_robot(model)


__all__ = [
    "MODELS",
    "Drive",
    "MechanismCoordinates",
    "ModelKind",
    "as_robot",
    "check_named_once",
    "copy_coordinates",
    "find_coordinates",
    "find_joint",
    "find_model_kind",
    "label_coordinates",
    "list_units",
    "list_values",
    "merge_names",
    "name_effort",
    "set_coordinates",
]
