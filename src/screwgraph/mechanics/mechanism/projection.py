"""States of a mechanism put back onto its constraints."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.compiler import Function
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism import Mechanism
from screwgraph.model.mechanism.closure import coordinate_units

TOLERANCE = 1e-12
"""Way back to the constraints that is not gone: lengths relative to the size of a mechanism, angles in rad."""
STEPS = 20


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest states that the constraints allow; `function` gives the step there, and the nearest velocity.

    `units` are those of the coordinates in which steps are judged.
    """

    function: Function
    units: Float[np.ndarray, " n"]

    @property
    def rows(self) -> int:
        """How many numbers a step has."""
        return self.function.results[0].size

    def project(
        self, t: float, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"], float]:
        """Return the nearest position and velocity, and how far (m, rad) the position may still be off.

        Raises:
            InputError: the position is too far from one at which the mechanism closes.
        """
        step = np.full(len(q), np.inf)
        for _ in range(STEPS):
            step, nearest = self.function(q, qd)
            way = step / self.units
            if not way.dot(way) > TOLERANCE**2:  # NaN, too, ends the search; it is found where states are collected
                return q, nearest, math.sqrt(step.dot(step))
            q = q + step
        raise InputError(
            f"at t = {t:g} s the mechanism comes apart by {math.sqrt(step.dot(step)):.3g} and does not close again",
            why="a step led too far, or to a singular position",
            fix="take a smaller dt",
        )


def make_projection(mechanism: Mechanism) -> Projection:
    """Return the projection of a mechanism. Raises ModelError where it cannot be assembled."""
    return Projection(compile_mechanism(mechanism).projection, coordinate_units(mechanism))
