"""Solving again near a solution: steps with the matrix that was factored last. Deuflhard (2011), section 2.1.2."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.linear import Factored
from screwgraph.optimize.methods.base import Tolerances
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.kkt_errors import compute_kkt_errors
from screwgraph.optimize.methods.newton_step import ROUGH, NewtonEquations, solve_newton_step
from screwgraph.optimize.methods.primal_dual_point import PrimalDualPoint, make_initial_point
from screwgraph.optimize.methods.row_scales import save_scales
from screwgraph.optimize.result import Iterate

FACTORED = "factored"
"""What a method's memory calls the matrix."""
WORTHWHILE = 0.2
"""What a step may leave of the error, so that as much is not done faster by one with a new matrix."""
FARTHEST = 0.99
"""Part of slacks and multipliers that a step may use up."""


def take_frozen_steps(
    kkt: KktSystem, x: Float[np.ndarray, " s"], memory: Mapping[str, Any], tolerances: Tolerances
) -> Generator[Iterate, None, tuple[Float[np.ndarray, " s"], Mapping[str, Any]]]:
    """Yield iterates that whole steps with the memory's matrix lead from; return where they end, and the memory there.

    Multipliers of the memory are those of the equations' rows. It ends where the KKT conditions are satisfied, or where
    steps make too little of the error.
    """
    factored = memory.get(FACTORED)
    if not isinstance(factored, Factored) or factored.system is not kkt.system:
        return x, memory
    model = kkt.model(x)
    point = make_initial_point(x, model, memory, float(memory["barrier"]))
    found, numbers = compute_kkt_errors(model, point)
    while not found.hold(model, tolerances):
        error, now = found.largest(point.barrier), Iterate(point.x, model.cost, model.violation, found.stationary)
        ahead = _take_whole_step(NewtonEquations(kkt, model, point, numbers, factored))
        if ahead is None:
            break
        model = kkt.model(ahead.x)
        found, numbers = compute_kkt_errors(model, ahead)
        left = found.largest(ahead.barrier)
        if not left < error:
            break
        yield replace(now, memory=save_scales(kkt.scales, {**memory, **point.memory()}))
        point = ahead
        if left > WORTHWHILE * error:
            break
    return point.x, {**memory, **point.memory()}


def _take_whole_step(equations: NewtonEquations) -> PrimalDualPoint | None:
    """Return the point after a whole step, None where slacks do not allow it."""
    point, step = equations.point, solve_newton_step(equations, accuracy=ROUGH)
    if min(step.least) < -FARTHEST:
        return None
    x = equations.kkt.retract(point.x, step.x)
    return PrimalDualPoint(x, point.s + step.s, point.y + step.y, point.z + step.z, point.barrier)
