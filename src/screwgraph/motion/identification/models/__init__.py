"""Kinds of models that are identified: one file each; a new one is a new file and a line in `MODELS`."""

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.motion.identification.models.base import CoordinateLimits, IdentifiedModel, Motors, TorqueLaw, Unknown
from screwgraph.motion.identification.models.mechanism import IdentifiedMechanism
from screwgraph.motion.identification.models.robot import IdentifiedRobot

MODELS: Mapping[str, Callable[[Any], IdentifiedModel]] = {"robot": IdentifiedRobot, "mechanism": IdentifiedMechanism}
"""Models, as identification sees them, by kind."""

__all__ = ["MODELS", "CoordinateLimits", "IdentifiedModel", "Motors", "TorqueLaw", "Unknown"]
