"""Many short stretches of motions integrated at once: the linearly implicit Euler method, extrapolated.

Deuflhard (1985), Recent progress in extrapolation methods; Hairer & Wanner (1996), section IV.9.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

COLUMNS = 8
"""Most steps that a stretch is divided into; the order is the same number."""
TOGETHER = 4
"""Divisions of a stretch that are tried at once: most stretches need as many, and each call has its price."""
PIECES = (1, 4, 16, 64)
"""Pieces that stretches are cut into where that many steps do not suffice."""
NUDGE = 1e-6

Numbers = Float[np.ndarray, "N n"]


@dataclass(frozen=True, eq=False)
class MotionStretches:
    """N motions d' = rate(d, v), v' = acceleration from d = 0 and v = `velocity`, each over `lengths` (s).

    `acceleration(which, part, d, v)` takes the numbers of some stretches, the part 0..1 (k, 1) of each that has passed,
    and their states; d leads from the first position, as `Manifold.retract` has it.
    """

    velocity: Numbers
    lengths: Float[np.ndarray, " N"]
    rate: Callable[[Numbers, Numbers], Numbers]
    acceleration: Callable[[Int[np.ndarray, " k"], Any, Numbers, Numbers], Numbers]


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
    known: list[np.ndarray] = []
    for count in range(1, COLUMNS + 1):
        if count > len(known):
            counts = range(count, TOGETHER + 1) if count <= TOGETHER else (count,)
            known += _euler(stretches, which, span, (d, v), counts, slopes)
        row = [known[count - 1]]
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
    state: tuple[Numbers, Numbers],
    counts: Sequence[int],
    slopes: tuple | None,
) -> list[Float[np.ndarray, "k m"]]:
    """Return the states after so many linearly implicit steps, for each count; without slopes, these are explicit."""
    order, k, whole = sorted(counts, reverse=True), len(which), span[1] - span[0]
    # the most steps come first: those that still go on are the first rows
    every, number = np.tile(which, len(order)), np.repeat(order, k)[:, None]
    d, v = (np.tile(x, (len(order), 1)) for x in state)
    h = stretches.lengths[every][:, None] * whole / number
    implicit = None
    if slopes is not None:
        by_d, by_v = (np.tile(x, (len(order), 1, 1)) for x in slopes)
        wide = h[:, :, None]
        # (1 - h J) (dd, dv) = h (rate, a), d' = v: without dd, (1 - h A_v - h^2 A_d) dv = h a + h^2 A_d rate.
        implicit = by_d, _inverse(np.eye(d.shape[1]) - wide * by_v - wide * wide * by_d)
    for i in range(order[0]):
        going = slice(k * sum(count > i for count in order))
        passed, own, dn, vn = span[0] + whole * (i + 1) / number[going], h[going], d[going], v[going]
        rate = stretches.rate(dn, vn)
        change = own * stretches.acceleration(every[going], passed, dn, vn)
        if implicit is not None:
            by_d, inverse = implicit
            forced = change + own * own * (by_d[going] @ rate[:, :, None])[:, :, 0]
            change = (inverse[going] @ forced[:, :, None])[:, :, 0]
            dn += own * change
        dn += own * rate
        vn += change
    ends = np.concatenate([d, v], axis=1).reshape(len(order), k, -1)
    return [ends[order.index(count)] for count in counts]


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
