"""A primal-dual interior-point method; where there are no inequalities, Newton's method on the KKT equations."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.linear import Factored
from screwgraph.optimize.methods.barrier_rule import VAIN_TRIES, BarrierRule
from screwgraph.optimize.methods.base import End, Run, Tolerances, is_small_step, max_magnitude
from screwgraph.optimize.methods.convexity import Convexity, find_direction
from screwgraph.optimize.methods.feasibility import FeasiblePoint, find_feasible
from screwgraph.optimize.methods.frozen_newton import FACTORED, take_frozen_steps
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.kkt_errors import compute_kkt_errors
from screwgraph.optimize.methods.line_search import Filter, search_line, total_violation
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.primal_dual_point import (
    NEAR,
    PrimalDualPoint,
    make_initial_point,
)
from screwgraph.optimize.methods.row_scales import restore_multipliers, save_scales
from screwgraph.optimize.result import Iterate, Status

PATIENCE = 30
"""Iterations in which the violation must come down by a tenth, or the cost since by `GAIN`; else hard factors are
looked at alone."""
RESTORATIONS = 3
GAIN = 0.01
"""Part of the cost that counts as progress."""
RELAXED = 0.1
"""Part of the tolerance of violations by which inequalities are relaxed. Waechter & Biegler (2006), section 3.5."""
NEARLY = 1e3
"""Times the tolerance, for the KKT conditions where steps change nothing any more: what rounding leaves."""


@dataclass(frozen=True)
class InteriorPoint:
    """Newton's steps on the KKT equations with a barrier that goes to zero. Waechter & Biegler (2006).

    H is Gauss-Newton's matrix, with the curvature of hard factors (`curvature`). Where that is not convex on the
    constraints, curvature is left out as long as this leads straight on, for few steps, then H is shifted. Without
    `curvature`, which then is never derived, steps allow for products of slacks and multipliers. Steep rows are scaled.
    A filter decides how much of a step is gone, with second-order corrections. `barrier` is the first barrier
    parameter. `reach` are families of unknowns with the most that one of their numbers may change in a step: for
    problems whose linearisation holds no further. `restorations` is how often in succession hard factors may be met
    alone, which is no iteration of the method's; with 0 it stalls instead, and no step chooses the barrier parameter.
    """

    __repr__ = one_line

    barrier: float = 0.1
    curvature: bool = True
    reach: tuple[tuple[str, float], ...] = ()
    restorations: int = RESTORATIONS

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve; the multipliers of a result's memory make a warm start."""
        kkt = KktSystem(assembly, self.curvature, RELAXED * tolerances.violation).with_row_scales(x, memory)
        x, memory = yield from take_frozen_steps(kkt, x, restore_multipliers(kkt.scales, memory), tolerances)
        model, known = kkt.model(x), memory.get(FACTORED)
        point, start = make_initial_point(x, model, memory, self.barrier), x
        passed = Filter(total_violation(model, point))
        exact = any(b.factors.kernels.derivation.is_cost for b in assembly.soft)
        convexity = Convexity(straight=not exact, shift=0.0, curvature=self.curvature)
        rule = BarrierRule(failures=0 if self.restorations else VAIN_TRIES)
        watch = _Watch(model.violation, model.cost)
        smallest = 0.1 * min(tolerances.violation, tolerances.dual)
        while True:
            error, numbers = compute_kkt_errors(model, point)
            is_solved = error.hold(model, tolerances)
            left = {**point.memory(), FACTORED: known} if is_solved else point.memory()
            if is_solved and isinstance(known, Factored):
                known.detach()  # its values stand in arrays that the next search overwrites
            left = save_scales(kkt.scales, left)
            yield Iterate(point.x, model.cost, model.violation, error.stationary, left)
            if not isfinite(model.cost + model.violation):
                return Status.NOT_FINITE, "a cost or a residual is not finite"
            if is_solved:
                return Status.CONVERGED, "the KKT conditions are satisfied"
            before = point.barrier
            rule, point = rule.after_iteration(error, point, smallest)
            ready = find_direction(kkt, model, point, numbers, convexity, predicts=rule.chooses)
            if isinstance(ready, str) and (point.y.any() or max_magnitude(point.z) > 10.0 * point.barrier / NEAR):
                # Where hard factors depend on each other, multipliers may be anything, and H with them.
                point = make_initial_point(point.x, model, {}, point.barrier)
                ready = find_direction(kkt, model, point, compute_kkt_errors(model, point)[1], convexity)
            if isinstance(ready, str):
                held = model.violation <= tolerances.violation
                if held or not self.restorations:
                    return Status.SINGULAR, ready
                return _stuck(kkt, (point.x, start), tolerances)
            step, equations, convexity = ready
            known, equations = equations.factored, equations.with_barrier(step.barrier)
            point = equations.point
            if point.barrier != before:
                passed = Filter(total_violation(model, point))
            if model.violation <= tolerances.violation and is_small_step(step.size, point.x, tolerances):
                settled, _ = compute_kkt_errors(model, _reset_multipliers(kkt, model, point, smallest))
                if min(error.largest(0.0), settled.largest(0.0)) <= NEARLY * tolerances.dual:
                    return Status.CONVERGED, "steps have become small"
                return Status.STALLED, "steps have become small; the hard factors hold, the KKT conditions do not"
            found = search_line(equations, step, passed, self._most(assembly, step.x))
            if found is None and convexity.straight and not convexity.curved:
                convexity = replace(convexity, straight=False)  # once more, with curvature and a shift
                continue
            if found is None and rule.chooses:
                rule, point = rule.after_failure(point, smallest)
                continue
            if found is not None:
                convexity = convexity.after_step(found.length / found.longest)
                model = found.model or kkt.model(found.point.x, beside=model)  # whose values are `known`'s
                point, passed = found.point, found.filter
                watch = watch.after_step(model.violation, model.cost)
            if found is None and model.violation <= tolerances.violation:
                return Status.STALLED, "no step lowers the cost; the hard factors hold"
            if found is None or (watch.stale > PATIENCE and model.violation > tolerances.violation):
                if not self.restorations:
                    return Status.STALLED, "no step reduces the violation of the hard factors"
                near = find_feasible(assembly, point.x, start, within=10.0 * tolerances.violation)
                if near.settled and near.left > 10.0 * tolerances.violation:
                    return _contradiction(near)
                model, x = kkt.model(near.x), near.x
                better = model.violation <= 10.0 * tolerances.violation and _gains(model.cost, watch.met)
                if watch.restored >= self.restorations and not better:
                    return Status.STALLED, "no values near here were found at which all hard factors hold"
                point = make_initial_point(x, model, {}, point.barrier)
                point = point.with_multipliers(kkt.least_squares_multipliers(model, point.z), point.z)
                passed = Filter(total_violation(model, point))
                convexity = replace(convexity, shift=0.0)  # what multipliers before asked for would only shorten steps
                restored = 0 if better else watch.restored + 1
                watch = _Watch(model.violation, model.cost, restored=restored, met=min(model.cost, watch.met))

    def _most(self, assembly: Assembly, step: Float[np.ndarray, " n"]) -> float:
        """Return how much of a step stays within reach."""
        if not self.reach:
            return 1.0
        places = assembly.layout.directions
        sizes = [float(np.abs(step[places[name]]).max()) / most for name, most in self.reach if name in places]
        return 1.0 / max([1.0, *sizes])


def _reset_multipliers(kkt: KktSystem, model: LocalModel, point: PrimalDualPoint, barrier: float) -> PrimalDualPoint:
    """Return a point with multipliers of the last barrier where inequalities are slack, the others fitted to these."""
    z = np.where(point.z > point.s, point.z, barrier / point.s)
    return point.with_multipliers(kkt.least_squares_multipliers(model, z), z)


def _stuck(kkt: KktSystem, starts: tuple[Float[np.ndarray, " s"], ...], tolerances: Tolerances) -> End:
    near = find_feasible(kkt.assembly, *starts, within=10.0 * tolerances.violation)
    if near.settled and near.left > 10.0 * tolerances.violation:
        return _contradiction(near)
    return Status.STALLED, "no step reduces the violation of the hard factors"


def _contradiction(near: FeasiblePoint) -> End:
    why = f"the hard factors contradict each other near here: {near.name} remains violated by {near.left:.3g}"
    return Status.INFEASIBLE, why


def _gains(cost: float, before: float) -> bool:
    """Whether a cost is lower than one before, infinity if there was none, by what counts."""
    return cost < before - GAIN * min(abs(cost), abs(before))


class _Watch(NamedTuple):
    """The least violation so far, the least cost since, iterations since either came down.

    How often hard factors were met alone; and the least cost where they were. While that comes down, meeting them alone
    is part of the way. Far from a solution, costs may come down along curved constraints for long, which are broken in
    every step, and mended in the next ones.
    """

    least: float
    cost: float
    stale: int = 0
    restored: int = 0
    met: float = np.inf

    def after_step(self, violation: float, cost: float) -> _Watch:
        """Return what is known after an iteration."""
        nearer = violation < 0.9 * self.least
        stale = 0 if nearer or _gains(cost, self.cost) else self.stale + 1
        least = cost if nearer else min(cost, self.cost)
        return _Watch(min(violation, self.least), least, stale, self.restored, self.met)
