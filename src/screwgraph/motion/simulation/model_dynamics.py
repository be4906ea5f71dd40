"""Dynamics of models: one file a kind; a new one is a new file and a line in `DYNAMICS`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from screwgraph.model import Model
from screwgraph.motion.simulation.mechanism_dynamics import MechanismDynamics
from screwgraph.motion.simulation.robot_dynamics import RobotDynamics
from screwgraph.motion.simulation.system import Dynamics

DYNAMICS: Mapping[str, Callable[[Any], Dynamics]] = {"robot": RobotDynamics, "mechanism": MechanismDynamics}
"""Dynamics by kind of model."""


def dynamics_of(model: Model) -> Dynamics:
    """Return a model in motion."""
    return DYNAMICS[model.kind](model)
