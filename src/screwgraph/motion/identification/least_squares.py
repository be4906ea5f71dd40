"""Weighted least squares on triangles: parameters, noise of each coordinate, covariance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.motion.identification.streamed_qr import (
    TriangleBlock,
    merge_blocks,
    normalise_columns,
    reduce_to_triangle,
)

SINGULAR = 1e-9
"""Singular values of equations, columns of unit length, below which a direction was not excited."""
NOTHING = 1e-12
"""Length of a column of a coordinate's equations, relative to the longest of all, below which it is rounding."""
EXACT = 1e-6
"""Smallest noise of a coordinate relative to that of the noisiest: torques that are zero by definition have none."""
ROUNDING = 1e-13
"""Smallest noise of a coordinate relative to its torques."""
PASSES = 30
SETTLED = 1e-9
LEVERAGE = 0.9
"""Part of what is known of a direction that one block of time may contribute, in estimates without that block."""


@dataclass(frozen=True, eq=False)
class Fit:
    """Parameters (k,) that explain torques best, and how certain they are.

    `R` (k, k) and `y` (k,) are the whitened equations: |R x - y|^2 is the square of all whitened residuals, but for a
    constant. `noise` are standard deviations of the torques (n,), `unseen` (k,) tells what part of each parameter's own
    direction was not excited.
    """

    values: Float[np.ndarray, " k"]
    covariance: Float[np.ndarray, "k k"]
    R: Float[np.ndarray, "k k"]
    y: Float[np.ndarray, " k"]
    noise: Float[np.ndarray, " n"]
    condition: float
    unseen: Float[np.ndarray, " k"]


def fit_parameters(
    leaves: Sequence[TriangleBlock], columns: Sequence[Bool[np.ndarray, " m"]], start: Float[np.ndarray, " k"]
) -> Fit:
    """Return the parameters that explain the torques of all blocks of time, each coordinate by its own noise.

    Noise and parameters are found in turn: feasible generalised least squares. Directions that no block excites stay at
    `start`. The covariance is the jackknife's over blocks of time, which takes noise as it is: correlated in time and
    between coordinates, larger where torques are large. Efron & Stein (1981); Cameron, Gelbach & Miller (2008).
    """
    whole = merge_blocks(leaves)
    counts = np.array(whole.counts, dtype=float)
    norms = np.array([np.linalg.norm([R[:, -1], ROUNDING * np.linalg.norm(R, axis=1)]) for R in whole.triangles])
    size = np.where(norms > 0.0, norms, 1.0) / np.sqrt(np.maximum(counts, 1.0))
    least = NOTHING * max(np.linalg.norm(R[:, :-1], axis=0).max(initial=0.0) for R in whole.triangles)
    spread = [_spread(R, own, least) for R, own in zip(whole.triangles, columns, strict=True)]
    noise, values = np.maximum(size, size.max() * EXACT), start
    for _ in range(PASSES):
        found = _solve_reweighted(spread, noise, counts, start)
        z = np.append(found.values, -1.0)
        shares = np.array([((R[:, :-1] @ found.basis) ** 2).sum() for R in spread]) / noise**2
        left = np.maximum(counts - shares, 1.0)
        own = np.array([np.linalg.norm(R @ z) for R in spread]) / np.sqrt(left)
        own = np.maximum(own, np.maximum(ROUNDING * size, max(EXACT * own.max(), np.finfo(float).tiny)))
        is_settled = np.abs(own - noise).max() <= SETTLED * own.max()
        noise, values = own, found.values
        if is_settled:
            break
    found = _solve_reweighted(spread, noise, counts, start)
    covariance = _jackknife(leaves, columns, noise, found.basis, values)
    return Fit(found.values, covariance, found.R, found.y, noise, found.condition, found.unseen)


@dataclass(frozen=True, eq=False)
class _Solved:
    values: Float[np.ndarray, " k"]
    R: Float[np.ndarray, "k k"]
    y: Float[np.ndarray, " k"]
    basis: Float[np.ndarray, "k r"]
    condition: float
    unseen: Float[np.ndarray, " k"]


def _solve_reweighted(
    spread: Sequence[Float[np.ndarray, "m k1"]],
    noise: Float[np.ndarray, " n"],
    counts: Float[np.ndarray, " n"],
    start: Float[np.ndarray, " k"],
) -> _Solved:
    rows = [R / s for R, s, count in zip(spread, noise, counts, strict=True) if count]
    whole = reduce_to_triangle(np.concatenate(rows))
    R, y = whole[:-1, :-1], whole[:-1, -1]
    unit, size = normalise_columns(R)
    U, S, Vt = np.linalg.svd(unit)
    seen = S / S[0] > SINGULAR
    basis = (Vt[seen].T / S[seen]) / size[:, None]
    values = start + basis @ (U[:, seen].T @ (y - R @ start))
    return _Solved(values, R, y, basis, float(S[0] / S[seen][-1]), np.linalg.norm(Vt[~seen], axis=0))


def _spread(R: Float[np.ndarray, "m m"], own: Bool[np.ndarray, " k1"], least: float) -> Float[np.ndarray, "m k1"]:
    """Return a triangle of some columns with zeros in the place of the others, and of those shorter than `least`."""
    full, lengths = np.zeros((len(R), len(own))), np.linalg.norm(R[:, :-1], axis=0)
    full[:, own] = np.where(np.append(lengths > least, True), R, 0.0)
    return full


def _jackknife(
    leaves: Sequence[TriangleBlock],
    columns: Sequence[Bool[np.ndarray, " m"]],
    noise: Float[np.ndarray, " n"],
    basis: Float[np.ndarray, "k r"],
    values: Float[np.ndarray, " k"],
) -> Float[np.ndarray, "k k"]:
    """Return the covariance of parameters from how they change as each block of time is left out.

    In coordinates in which all equations together are I: without block b they change by (I - A_b)^-1 g_b.
    """
    if len(leaves) < 2:
        return basis @ basis.T
    z, changes = np.append(values, -1.0), []
    for leaf in leaves:
        A, g = np.zeros((basis.shape[1],) * 2), np.zeros(basis.shape[1])
        for R, own, sigma, count in zip(leaf.triangles, columns, noise, leaf.counts, strict=True):
            if count:
                M = R[:, :-1] @ basis[own[:-1]] / sigma
                A, g = A + M.T @ M, g + M.T @ (R @ z[own]) / sigma
        share, axes = np.linalg.eigh(A)
        changes.append(axes @ ((axes.T @ g) / (1.0 - np.minimum(share, LEVERAGE))))
    D = np.array(changes) - np.mean(changes, axis=0)
    spread = basis @ D.T
    return (len(leaves) - 1.0) / len(leaves) * spread @ spread.T
