"""Lengths on which constraints depend, and what closes a model's states for them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.model.robot.parameters import Parameter
from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.tape import Number

STEPS = 2
"""Steps of Newton's method with one matrix, which leave the third power of what a step opens."""

State = tuple[np.ndarray, np.ndarray, list[Number]]
"""A position, a velocity, and what is left of closure errors (rad, m)."""
Closing = Callable[[TracedSteps, np.ndarray, np.ndarray, np.ndarray], State]
"""From a position, a velocity and parameters on a tape to the nearest state that constraints allow."""


@dataclass(frozen=True, eq=False)
class ClosureParameters:
    """Parameters on which constraints depend: of a robot, or `names` of a mechanism's; `places` in the whole vector."""

    __repr__ = one_line

    parameters: tuple[Parameter, ...] = ()
    names: tuple[str, ...] = ()
    places: tuple[int, ...] = ()

    def numbers(self, values: np.ndarray) -> np.ndarray:
        """Return their numbers among those of all parameters."""
        return values[list(self.places)]


@dataclass(frozen=True, eq=False)
class StateClosure:
    """How states are closed for some lengths: positions near a guess, velocities that are checked, or the nearest."""

    position: Callable[[Any], np.ndarray]
    velocity: Callable[[np.ndarray, Any], np.ndarray]
    nearest: Callable[[np.ndarray, np.ndarray], np.ndarray]
