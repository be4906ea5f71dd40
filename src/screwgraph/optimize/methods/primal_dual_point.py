"""Points of an interior-point method: unknowns, slacks, multipliers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import address_of
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.slack_kernels import SlackCalls

NEAR = 1e-2
"""Smallest slack of a cold start."""


class PrimalDualPoint(NamedTuple):
    """Unknowns x, slacks s, multipliers y of equalities and z of inequalities, the barrier parameter."""

    x: Float[np.ndarray, " n"]
    s: Float[np.ndarray, " k"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    barrier: float
    merit: tuple[float, float] | None = None
    """Sum of |c| and |g + s|, and of the slacks' logarithms, where they are known."""
    known: tuple[int, ...] = ()
    """Addresses, where they are known."""

    @property
    def addresses(self) -> tuple[int, ...]:
        """Addresses of x, s, y and z, as all kernels of a step take them."""
        return self.known or tuple(map(address_of, (self.x, self.s, self.y, self.z)))

    def with_barrier(self, barrier: float) -> PrimalDualPoint:
        """Return the point with another barrier parameter."""
        if barrier == self.barrier:
            return self
        return PrimalDualPoint(self.x, self.s, self.y, self.z, barrier, self.merit, self.known)

    def with_multipliers(self, y: Float[np.ndarray, " m"], z: Float[np.ndarray, " k"]) -> PrimalDualPoint:
        """Return the point with other multipliers."""
        return PrimalDualPoint(self.x, self.s, y, z, self.barrier)

    def memory(self) -> dict[str, Any]:
        """Return what a warm start needs."""
        return {"y": self.y, "z": self.z, "barrier": self.barrier}


class PointNumbers(NamedTuple):
    """Products A'y of equalities at a point, residuals r = g + s of inequalities, ratios z / s, the sum of all s z.

    `addresses` are those of the three arrays.
    """

    products: Float[np.ndarray, " n"]
    r: Float[np.ndarray, " k"]
    ratios: Float[np.ndarray, " k"]
    total: float
    addresses: Sequence[int]


class PrimalDualStep(NamedTuple):
    """Changes of a point towards a barrier parameter; c and r are the residuals that it was to take away.

    `least` are the least parts of slacks and of multipliers that these change by, `pull` is the sum of those of slacks,
    `size` the largest change of an unknown, `slope` how the cost changes.
    """

    x: Float[np.ndarray, " n"]
    s: Float[np.ndarray, " k"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    c: Float[np.ndarray, " m"]
    r: Float[np.ndarray, " k"]
    least: tuple[float, float]
    pull: float
    size: float
    slope: float
    barrier: float
    addresses: tuple[int, int, int, int]
    """Those of x, s, y and z."""

    def find_longest_parts(self, keep: float) -> tuple[float, float]:
        """Return how much of the changes of slacks and multipliers leaves of each at least a part `keep`."""
        slacks, duals = self.least
        most = keep - 1.0
        return 1.0 if slacks >= most else most / slacks, 1.0 if duals >= most else most / duals


def make_initial_point(
    x: Float[np.ndarray, " n"], model: LocalModel, memory: Mapping[str, Any], barrier: float
) -> PrimalDualPoint:
    """Return a point to start from: slacks that fit the residuals, multipliers from memory where they are its size."""
    y, z = np.zeros(len(model.c)), np.zeros(0)
    if np.shape(memory.get("y", 0.0)) == model.c.shape and np.shape(memory.get("z", 0.0)) == model.g.shape:
        y, old = memory["y"], memory["z"]
        # Slacks of what is active are as small as the barrier was, unless the start breaks them.
        barrier = max(float(memory["barrier"]), min(barrier, 0.1 * model.violation))
        s = np.maximum(-model.g, np.minimum(NEAR, barrier / np.maximum(old, 1e-12)))
        s = np.maximum(s, 1e-2 * np.maximum(model.g, 0.0))
        return PrimalDualPoint(x, s, y, np.clip(old, 0.1 * barrier / s, 10.0 * barrier / s), barrier)
    s = np.maximum(-model.g, NEAR)
    z = barrier / s
    return PrimalDualPoint(x, s, y, z, barrier)


def bound_point(point: PrimalDualPoint, calls: SlackCalls, residuals: tuple[int, ...]) -> PrimalDualPoint:
    """Return a point with slacks that are not smaller than they can be, and its merit, where c and g have addresses.

    Multipliers are brought to the barrier's order, those of `point` too: it is given up.
    """
    (x, old, y, z), (c, g), s = point.addresses, residuals, np.empty(len(point.s))
    broken = calls.bound_point(old, z, g, c, to := address_of(s), point.barrier)
    merit = broken, float(np.add.reduce(np.log(calls.parts, out=calls.parts)))
    return PrimalDualPoint(point.x, s, point.y, point.z, point.barrier, merit, (x, to, y, z))
