"""The power of a prior's noise."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.mechanics import Mechanics


def make_prior_noise(mechanics: Mechanics, power: Any, order: int) -> dict[str, Float[np.ndarray, "..."]]:
    """Return noise for residuals that are white but for the power of each coordinate, order * nv of them.

    Args:
        mechanics: of the robot.
        power: spectral density Q_c: a number, (nv,), (nv, nv), or {joint: number} for all joints.
        order: derivatives of a state, the position counted.

    Raises:
        InputError: it does not fit the robot, or is not positive.
    """
    labels, nv = mechanics.labels, mechanics.robot.nv
    if isinstance(power, Mapping):
        values = np.full(nv, np.nan)
        for joint, value in power.items():
            values[list(mechanics.coordinates(joint))] = value
        if np.isnan(values).any():
            missing = labels[int(np.isnan(values).argmax())]
            raise InputError(f"the prior has no power for joint {missing!r}", fix="give one for each joint")
    else:
        values = np.asarray(power, dtype=float)
    if values.shape not in ((), (nv,), (nv, nv)):
        raise InputError(f"the power of a prior has the shape {values.shape}", why=f"the robot has nv = {nv}")
    if values.ndim == 2:
        return {"sqrt_information": np.kron(np.eye(order), _root(values))}
    if not (np.isfinite(values) & (values > 0.0)).all():
        raise InputError(f"the power of a prior is {power!r}", why="it must be positive")
    return {"sigma": np.tile(np.broadcast_to(np.sqrt(values), nv), order)}


def _root(power: Float[np.ndarray, "nv nv"]) -> Float[np.ndarray, "nv nv"]:
    """Return W with W'W the inverse of the power."""
    try:
        if not np.allclose(power, power.T):
            raise np.linalg.LinAlgError
        return np.linalg.inv(np.linalg.cholesky(power))
    except np.linalg.LinAlgError:
        raise InputError("the power of a prior is not symmetric and positive definite") from None
