"""Points of an interior-point method: unknowns, slacks, multipliers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.methods.local_model import LocalModel

NEAR = 1e-2
"""Smallest slack of a cold start."""
SPREAD = 1e10
"""A multiplier may differ from barrier / slack by this factor."""


@dataclass(frozen=True, eq=False)
class PrimalDualPoint:
    """Unknowns x, slacks s, multipliers y of equalities and z of inequalities, the barrier parameter."""

    x: Float[np.ndarray, " n"]
    s: Float[np.ndarray, " k"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    barrier: float

    def with_barrier(self, barrier: float) -> PrimalDualPoint:
        """Return the point with another barrier parameter."""
        return replace(self, barrier=barrier)

    def memory(self) -> dict[str, Any]:
        """Return what a warm start needs."""
        return {"y": self.y, "z": self.z, "barrier": self.barrier}


@dataclass(frozen=True, eq=False)
class PrimalDualStep:
    """Changes of a point; c and r are the residuals that it was to take away."""

    x: Float[np.ndarray, " n"]
    s: Float[np.ndarray, " k"]
    y: Float[np.ndarray, " m"]
    z: Float[np.ndarray, " k"]
    c: Float[np.ndarray, " m"]
    r: Float[np.ndarray, " k"]


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


def bound_duals(point: PrimalDualPoint, model: LocalModel) -> PrimalDualPoint:
    """Return a point with slacks that are not smaller than they can be, and multipliers of the barrier's order."""
    s = np.maximum(point.s, -model.g)
    middle = point.barrier / s
    return replace(point, s=s, z=np.clip(point.z, middle / SPREAD, middle * SPREAD))
