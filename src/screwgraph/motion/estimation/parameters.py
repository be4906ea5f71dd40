"""Parameters of a robot that may be unknown: inverse dynamics is affine in each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.dynamics import inverse_dynamics
from screwgraph.model.robot import Robot, without_loops
from screwgraph.model.robot.parameters import Parameter, checked_parameters, with_values

ZERO = 1e-12
KINDS = ("mass", "damping", "armature")
"""Kinds of parameters that may be unknown: masses of links (kg), damping and rotor inertia of joints (SI units)."""


@dataclass(frozen=True, eq=False)
class Parameters:
    """Unknown parameters, "link.mass" or "joint.damping", their nominal values and scales (SI units).

    `slopes` are the derivatives (nv, k) of inverse dynamics by all, of q, qd, qdd and of values, which change nothing;
    None where there are no parameters.
    """

    parameters: tuple[Parameter, ...]
    values: Float[np.ndarray, " k"]
    scale: Float[np.ndarray, " k"]
    slopes: Function | None

    @property
    def names(self) -> tuple[str, ...]:
        """Names of the parameters."""
        return tuple(parameter.name for parameter in self.parameters)

    def change(self, q: Any, qd: Any, qdd: Any, scaled: Any) -> Any:
        """Return what inverse dynamics differs by from the nominal robot's (nv,); `scaled` are values over scales."""
        if self.slopes is None:
            return 0.0
        slopes = self.slopes(q, qd, qdd, self.values)
        return sum(slopes[:, i] * (self.scale[i] * scaled[i] - value) for i, value in enumerate(self.values))

    def at(self, robot: Robot, values: Float[np.ndarray, " k"]) -> Robot:
        """Return the robot with these values."""
        return with_values(robot, {p: np.array([value]) for p, value in zip(self.parameters, values, strict=True)})

    def negative_masses(self, values: Float[np.ndarray, " k"]) -> list[str]:
        """Return the links whose masses are negative at some values."""
        return [p.part for p, value in zip(self.parameters, values, strict=True) if p.kind == "mass" and value < 0.0]


def find_parameters(robot: Robot, names: Sequence[str]) -> Parameters:
    """Return parameters by name.

    Raises:
        InputError: no such parameter, one named twice, the mass of a link that moves nowhere, or of several numbers.
    """
    found = checked_parameters("what is estimated is a mass, damping or armature, not", KINDS, robot, tuple(names))
    for parameter in found:
        if len(parameter.nominal(robot)) > 1:
            raise InputError(
                f"{parameter.name!r} cannot be estimated",
                why="it has several numbers, one a coordinate of the joint",
                fix="leave it out",
            )
    values = np.array([parameter.nominal(robot)[0] for parameter in found])
    scale = np.where(np.abs(values) > ZERO, np.abs(values), 1.0)
    slopes = inverse_dynamics(without_loops(robot), parameters=tuple(names)).jacobian("parameters") if names else None
    return Parameters(found, values, scale, slopes)
