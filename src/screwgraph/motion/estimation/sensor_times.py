"""Instants of a motion that sensors of several rates measured: the union of their times."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float, Int

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.trajectory_tables import EVEN, FEWEST, are_even

GAP = 10.0
"""So many times the middle step, a step between uneven times is a gap."""
MISSING = 1.5
"""The same where most steps are equal: from here on, a time is missing."""
FILLED = 10
"""Instants that gaps may get, for each instant with a time of its own."""


def merge_times(times: Sequence[Float[np.ndarray, " k"]]) -> Float[np.ndarray, " N"]:
    """Return all times (s), once each; longer gaps among them get instants at the usual distance.

    Times that differ by what printed digits explain are one instant. Steps are then short enough for integration.

    Raises:
        InputError: too few times, or a gap that is far longer than all that was measured.
    """
    t = np.unique(np.concatenate(times))
    if len(t) > 1:
        t = t[np.concatenate([[True], np.diff(t) > EVEN * np.median(np.diff(t)) + 1e-12])]
    if len(t) < FEWEST:
        raise InputError(f"the measurements have {len(t)} samples", why=f"accelerations need {FEWEST} or more")
    steps = np.diff(t)
    middle = float(np.median(steps))
    are_mostly_even = np.mean(np.abs(steps - middle) <= EVEN * middle + 1e-12) >= 0.5
    parts = np.where(steps > (MISSING if are_mostly_even else GAP) * middle, np.rint(steps / middle), 1.0)
    if parts.sum() > FILLED * len(t):
        k = int(np.argmax(steps))
        raise InputError(
            f"nothing is measured for {steps[k]:.6g} s after t = {t[k]:.6g} s",
            why=f"elsewhere samples are {middle:.6g} s apart",
            fix="check the unit of the times (s), or estimate both parts on their own",
        )
    inside = [a + h / n * np.arange(int(n)) for a, h, n in zip(t[:-1], steps, parts, strict=True) if n > 1.0]
    return np.unique(np.concatenate([t, *inside]))


def round_steps(t: Float[np.ndarray, " N"]) -> Float[np.ndarray, " N-1"]:
    """Return the distances of instants (s): those of equal distances are exactly equal."""
    steps, mean = np.diff(t), float(t[-1] - t[0]) / (len(t) - 1)
    return np.full(len(steps), mean) if are_even(steps) else steps


def find_nearest_times(t: Float[np.ndarray, " N"], times: Float[np.ndarray, " k"]) -> Int[np.ndarray, " k"]:
    """Return the numbers of the instants nearest to some times."""
    after = np.clip(np.searchsorted(t, times), 1, len(t) - 1)
    return np.where(times - t[after - 1] < t[after] - times, after - 1, after)
