"""Inertial readings that are wrong: saturated samples, and motions that all standing feet contradict alike."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.so3 import skew

NEAR = 0.999
"""Part of a sensor's range from which on a reading is taken to be saturated."""
BEYOND = 2.0
"""Standard deviation of what saturated readings miss, in ranges."""
WIDER = 3.0
"""Standard deviation of a doubted motion, in units of what feet contradict it by."""


def saturated_variance(range_: float, count: int, dt: float) -> float:
    """Return the spectral density of a sensor's `count`-th saturated sample in a row.

    What it misses has one sign: standard deviations of the integral, not variances, grow by each sample.
    """
    return (2 * count - 1) * (BEYOND * range_) ** 2 * dt


def shared_error(
    errors: Float[np.ndarray, "n 3"], points: Float[np.ndarray, "n 3"], sigma: Float[np.ndarray, "3"], limit: float
) -> Float[np.ndarray, "6"] | None:
    """Return the rotation and displacement (rad, m) of the base that explain the errors of all standing feet.

    None where these are small, or feet have slipped each on its own. Of one foot alone nobody knows.

    Args:
        errors: of where feet are seen (m), in the base's axes.
        points: where they are seen.
        sigma: standard deviations of a foot (3,).
        limit: of slipping, in standard deviations.
    """
    n = len(errors)
    off = np.linalg.norm(errors / sigma, axis=1)
    if n < 2 or not (off > limit / np.sqrt(n)).all():
        return None
    turning = np.asarray(np.stack([-skew(p) for p in points]), dtype=float)
    rows = np.concatenate([turning, np.broadcast_to(np.eye(3), (n, 3, 3))], axis=2) / sigma[:, None]
    for first in (3, 0):  # displacements alone, if these are enough
        motion = np.zeros(6)
        motion[first:] = np.linalg.lstsq(rows[:, :, first:].reshape(3 * n, -1), (errors / sigma).ravel(), rcond=1e-6)[0]
        if np.linalg.norm(errors / sigma - rows @ motion, axis=1).max() < limit:
            return motion
    return None


def doubted_covariance(motion: Float[np.ndarray, "6"], time: float) -> Float[np.ndarray, "9"]:
    """Return variances of rotation, velocity and displacement to add to a change of motion that took `time` (s)."""
    turn, way = np.linalg.norm(motion[:3]), np.linalg.norm(motion[3:])
    return np.repeat(np.square(WIDER * np.array([turn, way / time, way])), 3)


def loosened_whitening(whitening: Float[np.ndarray, "n n"], added: Float[np.ndarray, "9"]) -> Float[np.ndarray, "n n"]:
    """Return the whitening (lower triangular) of a covariance to which variances are added."""
    root = np.linalg.inv(whitening)
    covariance = root @ root.T
    covariance[range(len(added)), range(len(added))] += added
    return np.linalg.inv(np.linalg.cholesky(covariance))
