"""Many short stretches of motions integrated at once: the linearly implicit Euler method, extrapolated.

Deuflhard (1985), Recent progress in extrapolation methods; Hairer & Wanner (1996), section IV.9.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float, Int

COLUMNS = 8
"""Most steps that a stretch is divided into; the order is the same number."""
PIECES = (1, 4, 16, 64)
"""Pieces that stretches are cut into where that many steps do not suffice."""
NUDGE = 1e-6

Numbers = Float[np.ndarray, "N n"]


@dataclass(frozen=True, eq=False)
class MotionStretches:
    """N motions d' = rate(d, v), v' = acceleration from d = 0 and v = `velocity`, each over `lengths` (s).

    `acceleration(which, part, d, v)` takes the numbers of some stretches, the part 0..1 of them that has passed, and
    their states; d leads from the first position, as `Manifold.retract` has it.
    """

    velocity: Numbers
    lengths: Float[np.ndarray, " N"]
    rate: Callable[[Numbers, Numbers], Numbers]
    acceleration: Callable[[Int[np.ndarray, " k"], float, Numbers, Numbers], Numbers]


def integrate_stretches(
    stretches: MotionStretches, tolerance: tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"]]
) -> tuple[Numbers, Numbers]:
    """Return d and v (N, n) at the ends, to tolerances of each coordinate; NaN where none of the attempts meets them.

    Stretches that an explicit method does not solve are given the derivatives of their accelerations, then cut.
    """
    count, n = stretches.velocity.shape
    d, v, left = np.full((count, n), np.nan), np.full((count, n), np.nan), np.arange(count)
    with np.errstate(all="ignore"):
        for pieces, implicit in ((PIECES[0], False), *((p, True) for p in PIECES)):
            if not len(left):
                break
            ended, sped, off = _in_pieces(stretches, left, pieces, implicit, tolerance)
            met = off <= 1.0
            d[left[met]], v[left[met]], left = ended[met], sped[met], left[~met]
    return d, v


def _in_pieces(
    stretches: MotionStretches, which: Int[np.ndarray, " k"], pieces: int, implicit: bool, tolerance: tuple
) -> tuple[Numbers, Numbers, Float[np.ndarray, " k"]]:
    """Return the states at the ends of some stretches, and their errors relative to the tolerances."""
    v = stretches.velocity[which]
    d, off = np.zeros_like(v), np.zeros(len(which))
    for piece in range(pieces):
        span = (piece / pieces, (piece + 1) / pieces)
        d, v, more = _extrapolate_states(stretches, which, span, d, v, implicit, tolerance)
        off = off + np.where(np.isfinite(more), more, np.inf) / pieces
    return d, v, off


def _extrapolate_states(
    stretches: MotionStretches,
    which: np.ndarray,
    span: tuple[float, float],
    d: Numbers,
    v: Numbers,
    implicit: bool,
    tol: tuple,
) -> tuple[Numbers, Numbers, Float[np.ndarray, " k"]]:
    """Return states after a part of the stretches by more and more steps of Euler's method, extrapolated to none."""
    slopes = _slopes(stretches, which, span[0], d, v) if implicit else None
    scale = np.concatenate(tol)
    best, least, before = np.concatenate([d, v], axis=1), np.full(len(which), np.inf), list[np.ndarray]()
    for count in range(1, COLUMNS + 1):
        row = [_euler(stretches, which, span, d, v, count, slopes)]
        for k in range(1, count):
            # Aitken-Neville's scheme for errors in powers of h, with 1, 2, 3, ... steps (harmonic sequence).
            row.append(row[-1] + (row[-1] - before[k - 1]) / (count / (count - k) - 1.0))
        if count > 1:
            off = (np.abs(row[-1] - row[-2]) / scale).max(axis=1)
            better = off < least
            best[better], least[better] = row[-1][better], off[better]
            if (least <= 1.0).all():
                break
        before = row
    return best[:, : d.shape[1]], best[:, d.shape[1] :], least


def _euler(
    stretches: MotionStretches,
    which: np.ndarray,
    span: tuple[float, float],
    d: Numbers,
    v: Numbers,
    count: int,
    slopes: tuple | None,
) -> Float[np.ndarray, "k m"]:
    """Return the states after so many linearly implicit steps; without slopes, these are explicit."""
    h = (stretches.lengths[which] * (span[1] - span[0]) / count)[:, None]
    inverse = None
    if slopes is not None:
        by_d, by_v = slopes
        wide = h[:, :, None]
        # (1 - h J) (dd, dv) = h (rate, a), d' = v: without dd, (1 - h A_v - h^2 A_d) dv = h a + h^2 A_d rate.
        inverse = _inverse(np.eye(d.shape[1]) - wide * by_v - wide * wide * by_d)
    for i in range(count):
        rate = stretches.rate(d, v)
        change = h * stretches.acceleration(which, span[0] + (span[1] - span[0]) * (i + 1) / count, d, v)
        if inverse is not None and slopes is not None:
            forced = change + h * h * (slopes[0] @ rate[:, :, None])[:, :, 0]
            change = (inverse @ forced[:, :, None])[:, :, 0]
            d = d + h * (rate + change)
        else:
            d = d + h * rate
        v = v + change
    return np.concatenate([d, v], axis=1)


def _slopes(stretches: MotionStretches, which: np.ndarray, part: float, d: Numbers, v: Numbers) -> tuple:
    """Return derivatives (k, n, n) of accelerations by d and by v, by differences."""
    k, n = d.shape
    many, here = np.repeat(which, n), stretches.acceleration(which, part, d, v)
    beside = NUDGE * np.tile(np.eye(n), (k, 1))
    found = []
    for by_d in (True, False):
        at, speed = np.repeat(d, n, axis=0), np.repeat(v, n, axis=0)
        moved = (at + beside, speed) if by_d else (at, speed + beside)
        there = stretches.acceleration(many, part, *moved).reshape(k, n, n)
        slope = np.swapaxes((there - here[:, None]) / NUDGE, 1, 2)
        found.append(np.where(np.isfinite(slope), slope, 0.0))
    return tuple(found)


def _inverse(matrices: Float[np.ndarray, "k n n"]) -> Float[np.ndarray, "k n n"]:
    try:
        return np.linalg.inv(matrices)
    except np.linalg.LinAlgError:
        return np.linalg.pinv(matrices)
