"""A planar mechanism posed by hand: one slider for each independent coordinate."""

from __future__ import annotations

import math

import numpy as np
from jaxtyping import Float

from screwgraph.mechanics.mechanism import Mechanism, finite_displacement
from screwgraph.ui.view.sliders import STEP, Slider


def mechanism_sliders(mechanism: Mechanism) -> tuple[Slider, ...]:
    """Return sliders of the independent coordinates about the home position: a turn, or the mechanism's size (m)."""
    home = mechanism.home
    places = np.array([mechanism.position(home, i) for i in range(len(mechanism.points))])
    size = float(np.linalg.norm(np.ptp(places, axis=0))) or 1.0
    found = []
    for i in mechanism.freedom.independent:
        reach = math.pi if i in mechanism.angle_slots else size
        at = float(home[i])
        found.append(Slider(mechanism.coordinates[i], i, at - reach, at + reach, at))
    return tuple(found)


def pose_mechanism(
    mechanism: Mechanism,
    q: Float[np.ndarray, " n"],
    before: Float[np.ndarray, " n"],
    after: Float[np.ndarray, " n"],
) -> Float[np.ndarray, " n"]:
    """Return where a mechanism goes from q when sliders go from `before` to `after` (n,), step by step on one branch.

    Raises:
        ModelError: it does not close there.
    """
    chosen = mechanism.freedom.independent
    change = float(np.abs(after - before).max())
    if not change:
        return q
    given = {mechanism.coordinates[i]: float(after[i]) for i in chosen}
    return finite_displacement(mechanism, q, given, max(1, math.ceil(change / STEP)))[-1]
