"""One instant of a model's motion, of which some is known: closed positions, velocities, accelerations, forces."""

from __future__ import annotations

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.network_model import NetworkModel

NEWTON = 20
RANK = 1e-10
"""Singular values, relative to the largest, that count as zero."""
TOLERANCE = 1e-11
"""Newton step (m, rad) at which a position is closed."""
CLOSED = 1e-9
"""Closure error, and distance from known values (m, rad), of a closed position."""
LONGEST = 0.5
"""Longest step, in parts of the reach of coordinates."""
CONSISTENT = 1e-8
"""Residual, relative to 1 and the largest value, that velocities may have."""
STRIDES = 20
STRIDE = 0.1
"""Longest change (rad, m) of known coordinates at once, in so many strides at most, so that the branch is kept."""


def solve_dynamics(
    model: NetworkModel,
    q: Float[np.ndarray, " nq"],
    qd: Float[np.ndarray, " nv"],
    qdd: Float[np.ndarray, " nv"],
    tau: Float[np.ndarray, " m"],
    multipliers: Float[np.ndarray, " rank"] | None = None,
) -> tuple[Float[np.ndarray, " nv"], Float[np.ndarray, " m"], Float[np.ndarray, " rank"]]:
    """Return accelerations, efforts and multipliers, of all of which some are known, and the others NaN.

    Blanco-Claraco et al. (2021), eq. (5), with unknowns on one side; the smallest where that leaves a choice.
    """
    n, m, k = model.nv, len(tau), model.rank
    M, C, bias = model.equations(q, qd)
    A = np.zeros((n + k, n + m + k))
    A[:n] = np.hstack([M, -model.effort_forces(q), C])
    A[n:, :n] = model.closing(q)[1]
    given = np.concatenate([qdd, tau, np.full(k, np.nan) if multipliers is None else multipliers])
    picked = ~np.isnan(given)
    right = np.concatenate([-model.resting_forces(bias, q), -model.drift(q, qd), given[picked]])
    x = np.linalg.lstsq(np.vstack([A, np.eye(len(given))[picked]]), right, rcond=RANK)[0]
    x[n:] = np.where(picked[n:], given[n:], x[n:])
    return x[:n], x[n : n + m], x[n + m :]


def move_to_known(
    model: NetworkModel, q: Float[np.ndarray, " nq"], known: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, " nq"]:
    """Return the closed position at which entries are known (others NaN), on the branch of q. Raises InputError."""
    wanted = np.where(np.isnan(known), q, known)
    if not model.rank:
        return wanted
    way = np.asarray(model.positions.difference(q, wanted), dtype=float)
    count = min(STRIDES, max(1, int(np.ceil(np.abs(way).max(initial=0.0) / STRIDE))))
    for part in np.arange(1, count + 1) / count:
        ahead = np.asarray(model.positions.retract(wanted, (part - 1.0) * way), dtype=float)
        q = close_at_known(model, q, np.where(np.isnan(known), np.nan, ahead), model.reach)
    if not model.is_assembled(q):
        raise InputError("the position is one that parts cannot take")
    return q


def close_at_known(
    model: NetworkModel,
    q: Float[np.ndarray, " nq"],
    known: Float[np.ndarray, " nq"],
    reach: Float[np.ndarray, " nv"] | None = None,
) -> Float[np.ndarray, " nq"]:
    """Return the nearest position that closes and has the known entries, by Newton steps. Raises InputError.

    With `reach`, steps are no longer than a part of it, and may be more: from guesses that are far off.
    """
    picked = model.mark_rows("q", ~np.isnan(known)[None])[0]
    P = np.eye(model.nv)[picked]
    for _ in range(NEWTON if reach is None else 3 * NEWTON):
        residual, J = model.closing(q)
        off = np.asarray(model.positions.difference(np.where(np.isnan(known), q, known), q), dtype=float)
        step = np.linalg.lstsq(np.vstack([J, P]), np.concatenate([residual, off[picked]]), rcond=RANK)[0]
        longest = 0.0 if reach is None else float(np.abs(step / reach).max(initial=0.0))
        q = np.asarray(model.positions.retract(q, -step / max(1.0, longest / LONGEST)), dtype=float)
        if not np.abs(step).max(initial=0.0) > TOLERANCE * (1.0 + np.abs(q).max(initial=0.0)):
            return _check_closed(model, q, known)
    return _check_closed(model, q, known)


def _check_closed(
    model: NetworkModel, q: Float[np.ndarray, " nq"], known: Float[np.ndarray, " nq"]
) -> Float[np.ndarray, " nq"]:
    """Return a position. Raises InputError where it is open, or has other than the known entries."""
    off = [*model.closing(q)[0], *np.nan_to_num(known - q)]
    if not np.abs(off).max(initial=0.0) <= CLOSED * (1.0 + np.abs(q).max(initial=0.0)):
        raise InputError("the model does not close where the step leads")
    return q


def complete_velocity(
    model: NetworkModel,
    q: Float[np.ndarray, " nq"],
    known: Float[np.ndarray, " nv"],
    near: Float[np.ndarray, " nv"] | None = None,
) -> Float[np.ndarray, " nv"]:
    """Return the nearest velocity that constraints allow and that has known entries, the others being NaN.

    Raises:
        InputError: there is none, and no velocity nearby was given.
    """
    _, J = model.closing(q)
    picked = ~np.isnan(known)
    A, qd = np.vstack([J, np.eye(model.nv)[picked]]), np.zeros(model.nv) if near is None else near
    right = np.concatenate([np.zeros(len(J)), known[picked]])
    qd = qd - np.linalg.lstsq(A, A @ qd - right, rcond=RANK)[0]
    if near is None and np.abs(A @ qd - right).max(initial=0.0) > CONSISTENT * max(1.0, np.abs(qd).max(initial=0.0)):
        raise InputError("no velocities have the known values")
    return qd
