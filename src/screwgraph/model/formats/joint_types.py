"""Joint types as files see them: a name, direction vectors, and plain numbers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.model.formats.diagnostics import Place, as_model_error, quote_text, suggest_name
from screwgraph.model.robot import JOINT_TYPES, JointType
from screwgraph.spatial.manifolds import FloatingPose

ALIASES = {"ball": "spherical", "screw": "helical"}
"""Names that other programs give to types of `JOINT_TYPES`."""

Settings = dict[str, Any]
"""The constructor arguments of a joint type: 3-vectors (axis, ...) and numbers (pitch, ...)."""


def type_name(name: str, who: str, at: Place) -> str:
    """Return the name of a joint type, aliases resolved. Raises ModelError for an unknown one."""
    name = ALIASES.get(name, name)
    if name not in JOINT_TYPES:
        raise ModelError(
            f"{who}: there is no joint type {quote_text(name)}",
            at=at,
            why=f"the types are {', '.join(JOINT_TYPES)}",
            fix=suggest_name(name, [*JOINT_TYPES, *ALIASES]),
        )
    return name


def settings_of(name: str) -> Settings:
    """Return the settings of a joint type with their defaults."""
    return {f.name: f.default for f in fields(JOINT_TYPES[name])}


def select_vectors(settings: Settings) -> Settings:
    """Select the settings that are 3-vectors."""
    return {key: value for key, value in settings.items() if isinstance(value, tuple)}


def select_scalars(settings: Settings) -> Settings:
    """Select the settings that are numbers."""
    return {key: value for key, value in settings.items() if not isinstance(value, tuple)}


def make_joint_type(name: str, settings: Mapping[str, Any], who: str, at: Place) -> JointType:
    """Make a joint type. Raises ModelError where the type refuses its settings (a zero axis, ...)."""
    try:
        return JOINT_TYPES[name](**settings)
    except InputError as error:
        raise as_model_error(error, who, at) from error


def neutral_position(joint_type: JointType, numbers: Sequence[float], who: str, at: Place) -> tuple[float, ...]:
    """Return where a floating joint begins, its quaternion of length 1. Raises ModelError for other joints."""
    if not isinstance(joint_type.manifold, FloatingPose):
        raise ModelError(
            f"{who} has a neutral position", at=at, why="only floating joints begin elsewhere than at zero"
        )
    try:
        return tuple(float(x) for x in joint_type.manifold.normalise(np.array(numbers)))
    except InputError as error:
        raise as_model_error(error, who, at) from error


def describe_joint_type(joint_type: JointType) -> tuple[str, Settings]:
    """Return name and settings of a joint type, from which `make_joint_type` makes it again.

    Raises:
        ModelError: the type is not registered.
    """
    for name, registered in JOINT_TYPES.items():
        if type(joint_type) is registered:
            return name, {key: getattr(joint_type, key) for key in settings_of(name)}
    raise ModelError(f"joint type {type(joint_type).__name__} is not registered, so no file format knows it")
