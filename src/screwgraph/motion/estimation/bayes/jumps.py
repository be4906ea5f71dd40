"""Whether what is known of a motion before and after a step belongs to one motion."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.errors import InputError
from screwgraph.motion.estimation.bayes.known_motion import KnownMotion
from screwgraph.motion.estimation.bayes.motion_integration import IntegratedMotion, integrate_motion
from screwgraph.motion.estimation.bayes.network_model import NetworkModel
from screwgraph.motion.estimation.bayes.paths import SHORTEST, select_first_independent
from screwgraph.motion.integration_rules import Rule
from screwgraph.optimize.manifold_code import difference_values

MIDPOINT = Rule("midpoint", 2, (0.0, 0.5, 1.0), ((0.5, 0.0), (0.0, 1.0)), ((0.5, 0.0), (0.0, 1.0)))
"""Explicit, second order, as the rules of networks are. Hairer, Norsett & Wanner (1993), section II.1."""
ALLOWED = 10.0
"""Times the error of integration that jumps may have."""
DEVIATIONS = 6.0
ROUNDED = 1e-6
"""Jumps relative to 1 and what jumps, that printed digits explain."""


class Jump(NamedTuple):
    """Jump of a coordinate: position and velocity to which known torques lead, and those that are known there."""

    step: int
    coordinate: int
    led: tuple[float, float]
    known: tuple[float, float]


def check_jumps(known: KnownMotion, found: IntegratedMotion, near: Float[np.ndarray, "steps nq"]) -> None:
    """Check that paths begin and end at states to which the known torques lead.

    Errors of the samples, of integration of second order, and of accelerations that jump within a step are allowed for.

    Raises:
        InputError: one does not; the message names both states, and the jumps between them. Or a path goes through a
            dead centre, where it does not determine the motion.
    """
    _check_velocities(known, found)
    _check_dead_centres(known, found)
    jump = _largest_jump(known, found, near)
    if jump is None:
        return
    (q, qd), (q_known, qd_known) = jump.led, jump.known
    label, unit = known.model.mechanics.labels[jump.coordinate], known.model.unit(jump.coordinate)
    raise InputError(
        f"{label} is known to be {q_known:.4g} {unit} with {qd_known:.4g} {unit}/s at step {jump.step}, where "
        f"what is known beside it leads to {q:.4g} {unit} with {qd:.4g} {unit}/s",
        why=f"a motion has no jumps, of {q_known - q:.3g} {unit} and {qd_known - qd:.3g} {unit}/s here",
        fix="leave out what is not of this motion, or say how exactly all holds by noise=Noise(...)",
    )


def _largest_jump(known: KnownMotion, found: IntegratedMotion, near: Float[np.ndarray, "steps nq"]) -> Jump | None:
    """Return the jump that is the largest beside what is allowed for, if it is larger than that."""
    model, wanted, qd = known.model, known.motion("q"), known.motion("qd")
    is_known = known.known_rows("q")
    begins = is_known & ~is_known[found.before] & ~np.isnan(qd)
    begins[found.start] = False
    other = integrate_motion(_perturb_torques(known), near, MIDPOINT) if begins.any() else None
    if other is None:
        return None
    filled = np.where(np.isnan(wanted), found.q, wanted)
    start = np.broadcast_to(model.positions.identity(), filled.shape)
    with np.errstate(invalid="ignore"):  # positions of steps that no integration reaches are NaN
        led = difference_values(model.positions, filled, found.q_before)
        off = np.abs(difference_values(model.positions, found.q_before, other.q_before))
        values = difference_values(model.positions, start, filled)
    way = known.dt * (1.0 + np.abs(np.arange(len(wanted)) - found.start))
    # The difference of two rules of order 2 estimates the error of either.
    q_error = ALLOWED * off + DEVIATIONS * known.sigma
    qd_error = ALLOWED * np.abs(other.qd_before - found.qd_before) + DEVIATIONS * known.sigma / known.dt
    q_error += known.dt * way[:, None] * found.change + ROUNDED * np.maximum(1.0, np.abs(values))
    qd_error += known.dt * found.change + ROUNDED * np.maximum(1.0, np.abs(qd))
    ratios = np.maximum(np.abs(led) / q_error, np.abs(found.qd_before - qd) / qd_error)
    ratios = np.where(begins, ratios, 0.0)
    k, i = (int(x) for x in np.unravel_index(np.argmax(ratios), ratios.shape))
    if not ratios[k, i] > 1.0:
        return None
    value = float(values[k, i])
    return Jump(k, i, (value + float(led[k, i]), float(found.qd_before[k, i])), (value, float(qd[k, i])))


def _check_velocities(known: KnownMotion, found: IntegratedMotion) -> None:
    """Check single known velocities on paths against the paths' own. Raises InputError."""
    given, rates = known.motion("qd"), known.rates
    allowed = known.dt * found.change + DEVIATIONS * known.sigma / known.dt + ROUNDED * np.maximum(1.0, np.abs(rates))
    ratios = np.nan_to_num(np.abs(given - rates) / allowed)
    ratios[:, ((given != rates) & ~np.isnan(given - rates)).sum(axis=0) >= SHORTEST] = 0.0
    k, i = (int(x) for x in np.unravel_index(np.argmax(ratios), ratios.shape))
    if ratios[k, i] > 1.0:
        label, unit = known.model.mechanics.labels[i], known.model.unit(i, "velocity")
        raise InputError(
            f"the velocity of {label} at step {k} is known to be {given[k, i]:.4g} {unit}, where its known positions "
            f"change by {rates[k, i]:.4g} {unit}",
            why=f"a motion has no jumps, of {rates[k, i] - given[k, i]:.3g} {unit} here",
            fix="leave out one of both, or say how exactly all holds by noise=Noise(...)",
        )


def _check_dead_centres(known: KnownMotion, found: IntegratedMotion) -> None:
    """Check that the coordinates of paths determine the motion all along. Raises InputError.

    At a dead centre they stand still while the mechanism may move on: their share in the motions that the constraints
    allow, a determinant, changes its sign.
    """
    model = known.model
    counted = select_first_independent(model, ~np.isnan(known.motion("qdd")))
    share = _shares(model, found.q, counted)
    near = (share[1:] * share[:-1] <= 0.0) & (counted[1:] == counted[:-1]).all(axis=1)
    if near.any():
        k = int(np.argmax(near))
        names = [model.mechanics.labels[i] for i in np.flatnonzero(counted[k])]
        raise InputError(
            f"{', '.join(names)} does not determine the motion near step {k}",
            why="the mechanism passes a dead centre there, or its steps are too long",
            fix="take a smaller dt, or make known a coordinate that moves on there, or the torque",
        )


def _shares(
    model: NetworkModel, q: Float[np.ndarray, "steps nq"], counted: Bool[np.ndarray, "steps n"]
) -> Float[np.ndarray, " steps"]:
    """Return the determinant of rows of a basis of the motions that constraints allow; NaN where too few rows count.

    Bases turn on from step to step without reflections, so that the sign of the determinant has a meaning.
    """
    shares, before = np.full(len(q), np.nan), None
    for k, at in enumerate(q):
        basis = np.linalg.svd(model.closing(at)[1])[2][model.rank :].T
        if before is not None and np.linalg.det(basis.T @ before) < 0.0:
            basis[:, 0] = -basis[:, 0]
        before = basis
        if counted[k].sum() == model.dof:
            shares[k] = np.linalg.det(basis[counted[k]])
    return shares


def _perturb_torques(known: KnownMotion) -> KnownMotion:
    """Return what is known with white noise on the torques, as large as that which these have."""
    torques = known.tables["Q"]
    third = np.diff(torques, n=3, axis=0)
    counted = ~np.isnan(third)
    squares = np.where(counted, third, 0.0) ** 2 / 20.0  # third differences of white noise have 20 times its variance
    sigma = np.sqrt(squares.sum(axis=0) / np.maximum(counted.sum(axis=0), 1))
    noise = np.random.default_rng(0).standard_normal(torques.shape) * sigma
    return replace(known, tables={**known.tables, "Q": torques + noise})
