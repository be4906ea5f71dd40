"""Parameters of robots that are inputs of steps with contacts."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.base.errors import InputError
from screwgraph.model.robot.parameters import Parameter

LIVE_KINDS = ("inertia", "mass", "payload", "armature", "damping", "friction", "stiffness", "gravity")
"""Kinds of parameters that steps with contacts take as inputs."""


def check_live_parameters(parameters: Sequence[Parameter]) -> None:
    """Raise InputError where a step with contacts does not take one of some parameters of robots as an input."""
    for parameter in parameters:
        if parameter.kind not in LIVE_KINDS:
            raise InputError(
                f"parameter {parameter.name!r} with contacts",
                why="the step with contacts has this number of the file",
                fix=f"load a robot with it; {', '.join(LIVE_KINDS[:-1])} and {LIVE_KINDS[-1]} may be inputs",
            )
