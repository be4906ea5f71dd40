"""Independent coordinates that are chosen anew where they come near to not determining the others."""

from __future__ import annotations

from dataclasses import replace
from functools import lru_cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism.mechanism_functions import compile_mechanism
from screwgraph.model.mechanism.closure import characteristic_length
from screwgraph.model.mechanism.mechanism import Mechanism

STEEP = 2.0
"""How much faster than the independent coordinates others may move; angles count by the size of the mechanism."""
STEEP_ALONE = 1.05
"""The same of one coordinate that no file names: who comes back meets the same choice, and energy does not drift."""


def steepness_limit(mechanism: Mechanism) -> float:
    """Return how steep a mechanism may become before its independent coordinates are chosen anew."""
    return STEEP_ALONE if mechanism.dof == 1 and not mechanism.independent else STEEP


def compute_steepness(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, " N"]:
    """Return the largest entry of R at closed positions, infinite where these are not finite.

    Blanco-Claraco et al. (2021), eqs. (8), (10).
    """
    found, finite = np.full(len(q), np.inf), np.isfinite(q).all(axis=1)
    chosen = list(mechanism.freedom.independent)
    free = _free_motions(mechanism, q[finite])
    u, s, vt = np.linalg.svd(free[:, chosen])
    R = free @ (vt.swapaxes(1, 2) / np.maximum(s, 1e-300)[:, None, :]) @ u.swapaxes(1, 2)
    found[finite] = np.abs(R).max(axis=(1, 2), initial=0.0)
    return found


def choose_coordinates(mechanism: Mechanism, q: Float[np.ndarray, " n"]) -> Mechanism:
    """Return the mechanism with independent coordinates that move most at a closed position where all others follow."""
    from scipy.linalg import qr

    order: Any = qr(_free_motions(mechanism, q[None])[0].T, pivoting=True)[-1]
    chosen = tuple(sorted(int(i) for i in order[: mechanism.dof]))
    if chosen == mechanism.freedom.independent:
        return mechanism
    return _with_choice(mechanism, tuple(mechanism.coordinates[i] for i in chosen))


@lru_cache(maxsize=16)
def _with_choice(mechanism: Mechanism, independent: tuple[str, ...]) -> Mechanism:
    return replace(mechanism, independent=independent)


def _free_motions(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n f"]:
    """Return orthonormal bases of what the constraints leave free, angles as paths on a circle of the size."""
    scale = np.ones(mechanism.n)
    scale[list(mechanism.angle_slots)] = characteristic_length(mechanism)
    kept = list(mechanism.freedom.kept)
    J = compile_mechanism(mechanism).closing(q)[1][:, kept] / scale
    return np.linalg.qr(J.swapaxes(1, 2), mode="complete")[0][:, :, len(kept) :]
