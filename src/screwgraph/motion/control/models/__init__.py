"""Models that controllers drive: one file a kind; a new one is a new file and a line in `MODELS`."""

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.model.model import Model
from screwgraph.motion.control.models.base import ControlledModel, CoordinateRange, IndependentCoordinates, Motors
from screwgraph.motion.control.models.independent_motion import IndependentMotion
from screwgraph.motion.control.models.mechanism import ControlledMechanism
from screwgraph.motion.control.models.robot import ControlledRobot

MODELS: Mapping[str, Callable[[Any], ControlledModel]] = {"robot": ControlledRobot, "mechanism": ControlledMechanism}
"""By kind of model."""


def as_controlled(model: Model) -> ControlledModel:
    """Return a model as controllers know it."""
    return MODELS[model.kind](model)


__all__ = [
    "MODELS",
    "ControlledModel",
    "CoordinateRange",
    "IndependentCoordinates",
    "IndependentMotion",
    "Motors",
    "as_controlled",
]
