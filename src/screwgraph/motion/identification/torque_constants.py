"""Torques per current that are unknown, with the parameters: currents are what torques are over their constants.

What a current shows is the product of torque constant and gear ratio. Currents i_j = s_j (Y_j pi + k_j), with s_j one
over that product and k_j the torques of all that is known, are bilinear in s and pi: as many triangles of [Y_j, k_j,
i_j] as there are coordinates keep all that least squares need. Noise is in currents, not in what multiplies them, so
that constants are not biased towards zero. Only k_j tells the scale of s and pi: Gautier & Briot (2014).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.identification.filtering import MotionSamples
from screwgraph.motion.identification.regressor_equations import RegressorEquations
from screwgraph.motion.identification.streamed_qr import normalise_columns, reduce_to_triangle

STEPS = 50
SETTLED = 1e-10
"""Step of logarithms of constants, and of parameters over their size, that ends the search."""
SINGULAR = 1e-8
"""Singular values of scaled equations at the solution, below which a scale is not determined."""
LEAST_NOISE = 1e-9
"""Smallest noise of a coordinate relative to what was measured of it."""


@dataclass(frozen=True, eq=False)
class TorqueConstants:
    """Torques per current (N m/A) by joint, their covariance (k, k), and derivatives of base parameters by them."""

    values: dict[str, float]
    covariance: Float[np.ndarray, "k k"]
    slopes: Float[np.ndarray, "rank k"]

    @property
    def sigma(self) -> dict[str, float]:
        """Standard deviations, of noise that is white."""
        return dict(zip(self.values, np.sqrt(np.diag(self.covariance)).tolist(), strict=True))


def fit_torque_constants(
    eqs: RegressorEquations, blocks: Iterable[tuple[MotionSamples, MotionSamples]], joints: Sequence[str]
) -> TorqueConstants:
    """Return the constants of joints from samples with constants of one, and the same samples with constants of two.

    Raises:
        InputError: nothing that is known tells their scale.
    """
    rows = [eqs.rows.index(joint) for joint in joints]
    whole = list[Float[np.ndarray, "m m"]]()
    counts = np.zeros(len(eqs.rows))
    for one, two in blocks:
        Y, rest = eqs.evaluate(one._replace(tau=np.zeros_like(one.tau)))
        current, others = two.tau - one.tau, 2.0 * one.tau - two.tau
        is_free = np.isin(np.arange(Y.shape[1]), rows)
        target = np.where(is_free, current, others)
        known = np.where(is_free, -rest - others, -rest)
        columns = np.concatenate([Y, known[:, :, None], target[:, :, None]], axis=2)
        seen = np.isfinite(target)
        parts = [columns[seen[:, j], j] for j in range(Y.shape[1])]
        counts += seen.sum(axis=0)
        whole = (
            [reduce_to_triangle(np.concatenate([R, x])) for R, x in zip(whole, parts, strict=True)]
            if whole
            else [reduce_to_triangle(x) for x in parts]
        )
    return _solve_constants(eqs, whole, counts, joints, rows)


def _solve_constants(
    eqs: RegressorEquations,
    triangles: Sequence[np.ndarray],
    counts: np.ndarray,
    joints: Sequence[str],
    rows: Sequence[int],
) -> TorqueConstants:
    """Return what Gauss-Newton steps find, from the solution of equations in which currents are taken as exact."""
    rank, n = eqs.base.rank, len(triangles)
    place = {row: k for k, row in enumerate(rows)}
    size = np.array([np.linalg.norm(R[:, -1]) for R in triangles]) / np.sqrt(np.maximum(counts, 1.0))
    noise = np.maximum(size, LEAST_NOISE * size.max())
    pi, c = _make_start(triangles, rank, place, joints)
    s, used = 1.0 / c, np.ones(0, dtype=bool)
    for _ in range(STEPS):
        r, J = list[np.ndarray](), list[np.ndarray]()
        for j, R in enumerate(triangles):
            factor = s[place[j]] if j in place else 1.0
            model = R[:, :rank] @ pi + R[:, rank]
            left, own = factor * model - R[:, -1], np.zeros((len(R), rank + len(rows)))
            own[:, :rank] = factor * R[:, :rank]
            if j in place:
                own[:, rank + place[j]] = model
            noise[j] = max(np.linalg.norm(left) / np.sqrt(max(counts[j] - (rank + 1) / n, 1.0)), LEAST_NOISE * size[j])
            r.append(left / noise[j])
            J.append(own / noise[j])
        whole, right = np.vstack(J), np.concatenate(r)
        unit, scale = normalise_columns(whole)
        U, S, Vt = np.linalg.svd(unit, full_matrices=False)
        used = S / S[0] > SINGULAR
        step = -(Vt[used].T @ ((U.T @ right)[used] / S[used])) / scale
        pi, s = pi + step[:rank], s + step[rank:]
        if np.abs(step[rank:] / s).max() <= SETTLED and np.abs(step[:rank]).max() <= SETTLED * np.abs(pi).max():
            break
    hidden = np.linalg.norm(Vt[~used][:, rank:], axis=0) if (~used).any() else np.zeros(len(rows))
    _check(bool((hidden > 1e-3).any()), [joint for joint, part in zip(joints, hidden, strict=True) if part > 1e-3])
    spread = (Vt[used].T / S[used]) / scale[:, None]
    covariance = spread @ spread.T
    turn = -1.0 / s**2
    own = turn[:, None] * covariance[rank:, rank:] * turn
    slopes = covariance[:rank, rank:] * turn @ np.linalg.inv(own)
    return TorqueConstants(dict(zip(joints, (1.0 / s).tolist(), strict=True)), own, slopes)


def _make_start(
    triangles: Sequence[np.ndarray], rank: int, place: Mapping[int, int], joints: Sequence[str]
) -> tuple[Float[np.ndarray, " rank"], Float[np.ndarray, " k"]]:
    """Return parameters and constants of the linear equations in which currents are taken as exact."""
    A, b = np.zeros((0, rank + len(joints))), np.zeros(0)
    for j, R in enumerate(triangles):
        own, right = np.zeros((len(R), rank + len(joints))), -R[:, rank]
        own[:, :rank] = R[:, :rank]
        if j in place:
            own[:, rank + place[j]] = -R[:, -1]
        else:
            right = right + R[:, -1]
        A, b = np.vstack([A, own]), np.append(b, right)
    unit, scale = normalise_columns(A)
    x = np.linalg.lstsq(unit, b, rcond=SINGULAR)[0] / scale
    tell = np.abs(x[rank:]) * scale[rank:] > SINGULAR * np.linalg.norm(b)
    _check(not b.any() or not tell.all(), joints)
    return x[:rank], x[rank:]


def _check(is_free: bool, joints: Sequence[str]) -> None:
    if is_free:
        raise InputError(
            f"the scale of the motor constants of {', '.join(joints)} is not identifiable",
            why="constants and parameters that are all so many times larger give the same currents",
            fix="know something that has weight: one of the constants, a torque, a link whose inertia is not among the "
            "parameters, or a measured wrench:FRAME, such as that of a known payload",
        )
