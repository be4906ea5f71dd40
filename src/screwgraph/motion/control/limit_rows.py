"""Rows of a controller's quadratic program: efforts, accelerations, forces without slip; each with its priority."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.control.affine import Affine, combine_affine, scale_affine
from screwgraph.motion.control.barriers import BarrierRow
from screwgraph.motion.control.contacts import HeldContact, Rows
from screwgraph.motion.control.contacts.base import ROUND
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.reduced_motion import Motion, ReducedMotion
from screwgraph.optimize.active_set import RoundCone
from screwgraph.optimize.active_set.round_cones import ROWS
from screwgraph.tape import Number

PRIORITIES = {"effort": 1e9, "friction": 1e8, "barrier": 3e7, "motion": 1e7}
"""Largest multipliers of rows, whose units are their bounds: what cannot be kept gives way, the last one first."""
FREE = 1e9
"""Bound of a row that has none, in units of rows."""


@dataclass(frozen=True, eq=False)
class LimitRow:
    """A number that is affine in u and stays within bounds; beyond `penalty`, a multiplier, it gives way."""

    value: Affine
    lower: Number
    upper: Number
    penalty: float


def list_efforts(motion: ReducedMotion, limits: ControlLimits) -> list[tuple[int, float, float]]:
    """Return the motors whose efforts have limits, and these: the least and the largest (N m, N)."""
    bounds = enumerate(limits.bound_efforts(motion.motors))
    return [(k, low, up) for k, (low, up) in bounds if limits.effort and np.isfinite([low, up]).any()]


def limit_efforts(motion: Motion, efforts: Sequence[tuple[int, float, float]]) -> list[LimitRow]:
    """Return rows of efforts in units of their limits."""
    found = list[LimitRow]()
    for k, low, up in efforts:
        unit = max(1.0, *(abs(x) for x in (low, up) if np.isfinite(x)))
        value = scale_affine(motion.efforts[k], 1.0 / unit)
        lower, upper = (x / unit if np.isfinite(x) else float(np.sign(x)) * FREE for x in (low, up))
        found.append(LimitRow(value, lower, upper, PRIORITIES["effort"]))
    return found


def limit_accelerations(own: ReducedMotion, limits: ControlLimits, motion: Motion, q: Any, qd: Any) -> list[LimitRow]:
    """Return rows of accelerations with which velocities and positions stay within their limits."""
    found, scale = list[LimitRow](), 1.0 / limits.acceleration
    for bounds in limits.list_bounds(own.model):
        low, up = limits.bound_acceleration(bounds, q[bounds.at], qd[bounds.along])
        value = scale_affine(motion.accelerations[bounds.along], scale)
        found.append(LimitRow(value, scale * low, scale * up, PRIORITIES["motion"]))
    return found


def limit_forces(
    own: ReducedMotion, limits: ControlLimits, motion: Motion, on: Sequence[Number], frictions: Sequence[Number]
) -> list[LimitRow]:
    """Return rows of forces in their cones, in units of the robot's weight; rows of feet in the air are empty."""
    found, unit = list[LimitRow](), 9.81 * own.controlled_model.mass
    for contact, forces, flag, friction in zip(own.contacts, motion.forces, on, frictions, strict=True):
        rows, normal = list_cone_rows(contact, limits, friction)
        least = flag * (limits.normal_force / unit)
        for row, low in (*((row, 0.0) for row in rows), (normal, least)):
            value = combine_affine([(x * (1.0 / unit), f) for x, f in zip(row, forces, strict=True)], 0.0)
            found.append(LimitRow(value, flag - 1.0 + low, FREE, PRIORITIES["friction"]))
    return found


def limit_barriers(
    limits: ControlLimits, motion: Motion, rows: Sequence[BarrierRow], numbers: Sequence[tuple[Number, Number]]
) -> list[LimitRow]:
    """Return rows of accelerations with which barriers stay positive; of each, its rate and margin."""
    found, scale = list[LimitRow](), 1.0 / limits.acceleration
    for row, (rate, margin) in zip(rows, numbers, strict=True):
        value = combine_affine([(scale * x, motion.accelerations[i]) for i, x in row.J.items()], 0.0)
        found.append(LimitRow(value, scale * row.bound_acceleration(rate, margin), FREE, PRIORITIES["barrier"]))
    return found


def count_rows(own: ReducedMotion, limits: ControlLimits) -> int:
    """Return how many rows there are, without those of barriers."""
    forces = sum(len(list_cone_rows(contact, limits, 1.0)[0]) + 1 for contact in own.contacts)
    return count_joint_rows(own, limits) + forces


def count_joint_rows(own: ReducedMotion, limits: ControlLimits) -> int:
    """Return how many rows joints have, which come first: of efforts and accelerations."""
    return len(list_efforts(own, limits)) + len(list(limits.list_bounds(own.model)))


def list_cone_rows(contact: HeldContact, limits: ControlLimits, friction: Number) -> tuple[Rows, list[Number]]:
    """Return rows (k, n) with row f >= 0 of forces without slip, and the row of the normal force.

    Those of a round cone are the square around it, and planes that do not touch it yet (`RoundCone`).
    """
    if not has_round_cone(contact, limits):
        return contact.cone(friction)
    square, normal = contact.cone(friction * (1.0 / ROUND))
    return [*square, *([friction * x for x in normal] for _ in range(ROWS - len(square)))], normal


def has_round_cone(contact: HeldContact, limits: ControlLimits) -> bool:
    """Whether the force of a contact, without a moment, stays within a round cone."""
    return limits.round_cones and contact.size == 3


def list_round_cones(own: ReducedMotion, limits: ControlLimits) -> list[RoundCone]:
    """Return the round cones of contacts."""
    found, start = list[RoundCone](), count_joint_rows(own, limits)
    for contact, leg in zip(own.contacts, own.legs, strict=True):
        if has_round_cone(contact, limits):
            axis, first, second = (own.place[i] for i in leg.own)
            found.append(RoundCone((axis, first, second), start))
        start += len(list_cone_rows(contact, limits, 1.0)[0]) + 1
    return found
