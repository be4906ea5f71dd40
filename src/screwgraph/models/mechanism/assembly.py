"""Assembled positions of a mechanism, all over."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from jaxtyping import Float

from screwgraph.models.mechanism.closing import ROUGH, gaps, size_of
from screwgraph.models.mechanism.mechanism import Mechanism

TRIES = 3
"""Guesses for each position that is wanted."""
STEPS = 40
CLOSED = 1e-12
"""Newton step, relative to the size, below which a position is assembled."""
DAMPING = 1e-12
REACH = 0.5
"""Longest Newton step, relative to the size of the mechanism."""


@lru_cache(maxsize=64)
def assembled_states(mechanism: Mechanism, count: int) -> Float[np.ndarray, "count n"]:
    """Return assembled positions (m, rad), in any assembly mode, found from random guesses; repeated where few are.

    Raises:
        ModelError: the mechanism cannot be assembled.
    """
    rng, size = np.random.default_rng(0), size_of(mechanism)
    spread = np.full(mechanism.n, size)
    spread[list(mechanism.angle_slots)] = np.pi
    reach = rng.uniform(0.0, 1.0, (TRIES * count, 1))  # guesses near home, too: few of those far off may close
    q = mechanism.home + reach * spread * rng.standard_normal((TRIES * count, mechanism.n))
    closing, kept = mechanism.closing_program.interpreted, list(mechanism.freedom.kept)
    _turn_angles(mechanism, q)
    left = np.arange(len(q))
    for _ in range(STEPS):
        residual, J = closing(q[left])
        step = _newton_step(residual[:, kept], J[:, kept])
        longest = np.abs(step / spread).max(axis=1, keepdims=True)
        q[left] -= step * np.minimum(1.0, REACH / np.maximum(longest, 1e-300))
        left = left[longest[:, 0] > CLOSED]
        if len(q) - len(left) >= 2 * count or not len(left):
            break
    residual, J = closing(q)
    closed = np.nan_to_num(gaps(residual, J).max(axis=1, initial=0.0), nan=np.inf) <= 1e-3 * ROUGH * size
    for slot, row in mechanism.defining_rows:  # an angle half a turn off closes its row, too
        closed &= J[:, row, slot] < 0.0
    found = q[closed] if closed.any() else mechanism.home[None]
    return np.resize(found, (count, mechanism.n))


def _newton_step(residual: Float[np.ndarray, "N m"], J: Float[np.ndarray, "N m n"]) -> Float[np.ndarray, "N n"]:
    """Return the smallest steps onto constraints, damped where these depend on each other."""
    JJ = J @ J.swapaxes(1, 2)
    size = np.trace(JJ, axis1=1, axis2=2)[:, None, None]
    return (J.swapaxes(1, 2) @ np.linalg.solve(JJ + DAMPING * size * np.eye(J.shape[1]), residual[..., None]))[..., 0]


def _turn_angles(mechanism: Mechanism, q: Float[np.ndarray, "N n"]) -> None:
    """Let each angle be that of its lines: its row is a cos(angle) - b sin(angle)."""
    closing = mechanism.closing_program.interpreted
    for slot, row in mechanism.defining_rows:
        q[:, slot] = 0.0
        a = closing(q)[0][:, row]
        q[:, slot] = 0.5 * np.pi
        q[:, slot] = np.arctan2(a, -closing(q)[0][:, row])
