"""A warning where a motion's energy is not accounted for."""

from __future__ import annotations

import warnings

import numpy as np

DOUBTFUL = 0.1
"""Energy balance residual, relative to the energy that moves, beyond which a motion is not to be trusted."""
ROUNDING = 1e-9
"""The same in J: nothing moves."""


def energy_moved(T: np.ndarray, U: np.ndarray, work: np.ndarray) -> float:
    """Return the energy (J) that moves in a motion of kinetic and potential energies T and U: what errors count by."""
    return float(T.max() + np.ptp(U) + np.ptp(work))


def warn_of_imbalance(method: str, residual: float, moved: float) -> None:
    """Warn (RuntimeWarning) where the energy balance residual (J), less what it is uncertain by, is large."""
    if residual > max(DOUBTFUL * moved, ROUNDING):
        warnings.warn(
            f"the simulation by {method} is not accurate, or diverged: {residual:.3g} J of the {moved:.3g} J that move "
            'are not accounted for by work and damping (take method="auto", or a smaller dt)',
            RuntimeWarning,
            stacklevel=4,
        )
