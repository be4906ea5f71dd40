"""Rows of accelerations with which barriers stay positive."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any

import numpy as np

from screwgraph.mechanics.kinematics import random
from screwgraph.model.model import Model
from screwgraph.motion.control.affine import combine_affine
from screwgraph.motion.control.barriers import Barrier, BarrierRow, differentiate_barrier
from screwgraph.motion.control.limits.base import FREE, PRIORITIES, LimitedState, LimitRow
from screwgraph.motion.control.limits.control_limits import ControlLimits


def count_barrier_rows(model: Model, barriers: Sequence[Barrier]) -> int:
    """Return how many values barriers have together."""
    rng, found = np.random.default_rng(0), 0
    for barrier in barriers:
        references = [rng.standard_normal(prod(shape)) for shape in barrier.references(model).values()]
        found += len(barrier.values(model, random(model, seed=rng), rng.standard_normal(model.nv), *references))
    return found


def limit_barriers(
    model: Model,
    barriers: Sequence[Barrier],
    limits: ControlLimits,
    state: LimitedState,
    arguments: Mapping[str, Any],
) -> list[LimitRow]:
    """Return rows of accelerations in units of `ControlLimits.acceleration`.

    `arguments` are those of the controller, flat: `barriers` (barriers, 2), rate and margin, and those of each.
    """
    rows, scale = list[tuple[BarrierRow, Any]](), 1.0 / limits.acceleration
    for barrier, numbers in zip(barriers, np.reshape(arguments.get("barriers", ()), (-1, 2)), strict=True):
        given = [arguments[name] for name in barrier.list_arguments(model)]
        rows += ((row, numbers) for row in differentiate_barrier(model, barrier, state.q, state.qd, given))
    found = list[LimitRow]()
    for row, (rate, margin) in rows:
        value = combine_affine([(scale * x, state.motion.accelerations[i]) for i, x in row.J.items()], 0.0)
        found.append(LimitRow(value, scale * row.bound_acceleration(rate, margin), FREE, PRIORITIES["barrier"]))
    return found
