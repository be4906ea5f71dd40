"""Whether what is known of a motion before and after a step belongs to one motion."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.estimation.bayes.known_motion import KnownMotion
from screwgraph.estimation.bayes.motion_integration import IntegratedMotion, integrate_motion
from screwgraph.estimation.bayes.paths import SHORTEST
from screwgraph.time import Rule

MIDPOINT = Rule("midpoint", 2, (0.0, 0.5, 1.0), ((0.5, 0.0), (0.0, 1.0)), ((0.5, 0.0), (0.0, 1.0)))
"""Explicit, second order, as the rules of networks are. Hairer, Norsett & Wanner (1993), section II.1."""
ALLOWED = 10.0
"""Times the error of integration that jumps may have."""
DEVIATIONS = 6.0
REVERSED = 5e-3
"""Error of velocities, relative to the largest, beyond which steps along a path have lost the motion."""
ROUNDED = 1e-6
"""Jumps relative to 1 and what jumps, that printed digits explain."""


class Jump(NamedTuple):
    """Jump of a coordinate: position and velocity to which known torques lead, and those that are known there."""

    step: int
    coordinate: int
    led: tuple[float, float]
    known: tuple[float, float]


def check_jumps(known: KnownMotion, found: IntegratedMotion, near: Float[np.ndarray, "steps n"]) -> None:
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
    mechanism, (q, qd), (q_known, qd_known) = known.mechanism, jump.led, jump.known
    label, unit = mechanism.coordinates[jump.coordinate], "rad" if jump.coordinate in mechanism.angle_slots else "m"
    raise InputError(
        f"{label} is known to be {q_known:.4g} {unit} with {qd_known:.4g} {unit}/s at step {jump.step}, where "
        f"what is known beside it leads to {q:.4g} {unit} with {qd:.4g} {unit}/s",
        why=f"a motion has no jumps, of {q_known - q:.3g} {unit} and {qd_known - qd:.3g} {unit}/s here",
        fix="leave out what is not of this motion, or say how exactly all holds by noise=Noise(...)",
    )


def _largest_jump(known: KnownMotion, found: IntegratedMotion, near: Float[np.ndarray, "steps n"]) -> Jump | None:
    """Return the jump that is the largest beside what is allowed for, if it is larger than that."""
    q, qd = known.motion("q"), known.motion("qd")
    steps = np.arange(len(q))
    before = (steps + np.where(steps > found.start, -1, 1)).clip(0, len(q) - 1)
    begins = ~np.isnan(q) & np.isnan(q[before]) & ~np.isnan(qd)
    begins[found.start] = False
    other = integrate_motion(_perturb_torques(known), near, MIDPOINT) if begins.any() else None
    if other is None:
        return None
    turned, way = np.abs(np.diff(found.qdd, axis=0)).max(axis=0), known.dt * (1.0 + np.abs(steps - found.start))
    q_error = ALLOWED * np.abs(other.q_before - found.q_before) + DEVIATIONS * known.sigma
    qd_error = ALLOWED * np.abs(other.qd_before - found.qd_before) + DEVIATIONS * known.sigma / known.dt
    q_error += known.dt * way[:, None] * turned + ROUNDED * np.maximum(1.0, np.abs(q))
    qd_error += known.dt * turned + ROUNDED * np.maximum(1.0, np.abs(qd))
    ratios = np.maximum(np.abs(found.q_before - q) / q_error, np.abs(found.qd_before - qd) / qd_error)
    ratios = np.where(begins, ratios, 0.0)
    k, i = (int(x) for x in np.unravel_index(np.argmax(ratios), ratios.shape))
    if not ratios[k, i] > 1.0:
        return None
    led = float(found.q_before[k, i]), float(found.qd_before[k, i])
    return Jump(k, i, led, (float(q[k, i]), float(qd[k, i])))


def _check_velocities(known: KnownMotion, found: IntegratedMotion) -> None:
    """Check single known velocities on paths against the paths' own. Raises InputError."""
    given, rates = known.motion("qd"), known.rates
    turned = np.abs(np.diff(found.qdd, axis=0)).max(axis=0)
    allowed = known.dt * turned + DEVIATIONS * known.sigma / known.dt + ROUNDED * np.maximum(1.0, np.abs(rates))
    ratios = np.nan_to_num(np.abs(given - rates) / allowed)
    ratios[:, ((given != rates) & ~np.isnan(given - rates)).sum(axis=0) >= SHORTEST] = 0.0
    k, i = (int(x) for x in np.unravel_index(np.argmax(ratios), ratios.shape))
    if ratios[k, i] > 1.0:
        label, unit = known.mechanism.coordinates[i], "rad/s" if i in known.mechanism.angle_slots else "m/s"
        raise InputError(
            f"the velocity of {label} at step {k} is known to be {given[k, i]:.4g} {unit}, where its known positions "
            f"change by {rates[k, i]:.4g} {unit}",
            why=f"a motion has no jumps, of {rates[k, i] - given[k, i]:.3g} {unit} here",
            fix="leave out one of both, or say how exactly all holds by noise=Noise(...)",
        )


def _check_dead_centres(known: KnownMotion, found: IntegratedMotion) -> None:
    """Check that velocities along paths are those to which accelerations lead. Raises InputError."""
    mechanism, steps = known.mechanism, np.arange(len(found.q))
    before = (steps + np.where(steps > found.start, -1, 1)).clip(0, len(steps) - 1)
    along = (~np.isnan(known.motion("qdd"))).sum(axis=1) >= mechanism.dof
    off = np.abs(found.qd_before - found.qd).max(axis=1)
    moving = np.maximum(np.abs(found.qd), np.abs(found.qd_before)).max(axis=1)
    turned = along & along[before] & (off > REVERSED * moving + ROUNDED)
    if turned.any():
        k = int(np.argmax(turned))
        i = int(np.nanargmax(np.abs(found.qd_before[k] - found.qd[k])))
        names = [
            name for name, value in zip(mechanism.coordinates, known.motion("qdd")[k], strict=True) if value == value
        ]
        raise InputError(
            f"{', '.join(names)} does not determine the motion near step {k}: the velocity of "
            f"{mechanism.coordinates[i]} jumps from {found.qd_before[k, i]:.3g} to {found.qd[k, i]:.3g} there",
            why="the mechanism passes a dead centre, or its steps are too long",
            fix="take a smaller dt, or make known a coordinate that moves on there",
        )


def _perturb_torques(known: KnownMotion) -> KnownMotion:
    """Return what is known with white noise on the torques, as large as that which these have."""
    torques = known.tables["Q"]
    third = np.diff(torques, n=3, axis=0)
    counted = ~np.isnan(third)
    squares = np.where(counted, third, 0.0) ** 2 / 20.0  # third differences of white noise have 20 times its variance
    sigma = np.sqrt(squares.sum(axis=0) / np.maximum(counted.sum(axis=0), 1))
    noise = np.random.default_rng(0).standard_normal(torques.shape) * sigma
    return replace(known, tables={**known.tables, "Q": torques + noise})
