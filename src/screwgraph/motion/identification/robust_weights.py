"""Weights that a robust loss gives equations."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.losses import LOSSES


def robust_weights(loss: str, whitened: Float[np.ndarray, "N n"]) -> Float[np.ndarray, "N n"]:
    """Return the factors of equations by their whitened residuals; those that are not known count as zero."""
    square = np.where(np.isfinite(whitened), whitened, 0.0) ** 2
    return np.sqrt(LOSSES[loss].weight(square))
