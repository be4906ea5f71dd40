"""Positions along a trajectory, on one branch."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float, Int

from screwgraph.mechanics.mechanism.kinematics import finite_displacement
from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.closure import TOLERANCE, closure_errors
from screwgraph.model.mechanism.mechanism import Mechanism

NEWTON = 4
"""Corrections that a position near the last one takes at most."""
PER_RANGE = 30
"""Samples whose positions are solved for, others being between, while a coordinate passes its range."""
NEAR = 0.5
"""Largest first correction, in parts of the step, at which the next position is surely on the same branch."""


def follow_branch(
    mechanism: Mechanism,
    q: Float[np.ndarray, " n"],
    coordinates: tuple[int, ...],
    values: Float[np.ndarray, "N k"],
) -> Float[np.ndarray, "N n"]:
    """Return the closed positions at which coordinates, by place in q, have given values (m, rad), one after the other.

    `q` chooses the branch. Raises ModelError where the mechanism is blocked on the way.
    """
    names = [mechanism.coordinates[i] for i in coordinates]
    path = [finite_displacement(mechanism, q, dict(zip(names, values[0], strict=True)))[-1]]
    for wanted in values[1:]:
        ahead = _ahead(mechanism, path[-1], coordinates, wanted)
        if ahead is None:
            ahead = finite_displacement(mechanism, path[-1], dict(zip(names, wanted, strict=True)))[-1]
        path.append(ahead)
    return np.array(path)


def follow_path(
    mechanism: Mechanism,
    q: Float[np.ndarray, " n"],
    coordinates: tuple[int, ...],
    values: Float[np.ndarray, "N k"],
) -> Float[np.ndarray, "N n"]:
    """Return positions as `follow_branch`, roughly: some of them, and a spline between these."""
    from scipy.interpolate import CubicSpline

    if len(values) < 2:
        return follow_branch(mechanism, q, coordinates, values)
    knots = _knots(values)
    return CubicSpline(knots, follow_branch(mechanism, q, coordinates, values[knots]))(np.arange(len(values)))


def _knots(values: Float[np.ndarray, "N f"]) -> Int[np.ndarray, " k"]:
    """Return numbers of samples, closer where more happens: any coordinate passes its range in 30 of them at least."""
    span = np.maximum(np.ptp(values, axis=0), 1e-9)
    way = np.concatenate([[0.0], np.cumsum(np.abs(np.diff(values, axis=0) / span).max(axis=1))])
    way += np.linspace(0.0, max(1.0, 0.1 * way[-1]), len(way))
    count = min(len(way), max(100, int(PER_RANGE * way[-1])))
    return np.unique(np.searchsorted(way, np.linspace(0.0, way[-1], count)))


def _ahead(mechanism: Mechanism, q: np.ndarray, coordinates: tuple[int, ...], wanted: np.ndarray) -> np.ndarray | None:
    """Return the next position by Newton steps; None where these are not surely on the branch."""
    closing, slots = compile_mechanism(mechanism).closing, list(coordinates)
    units = closing.units.coordinates
    picked = np.eye(mechanism.n)[slots]
    residual, J = closing.in_units(q)
    first = 0.0
    for k in range(NEWTON + 1):
        right = np.concatenate([residual, (q[slots] - wanted) / units[slots]])
        step = np.linalg.lstsq(np.vstack([J, picked]), right, rcond=1e-10)[0]
        q = q - units * step
        length = float(np.abs(step).max())
        first = first or length
        if k == 1 and length > NEAR * first:
            return None
        residual, J = closing.in_units(q)
        off = np.abs((q[slots] - wanted) / units[slots]).max()
        if max(off, closure_errors(residual, J).max(initial=0.0)) <= TOLERANCE:
            return q
    return None
