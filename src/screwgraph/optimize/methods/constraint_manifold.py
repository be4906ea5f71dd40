"""Optimisation on the manifold of the equalities: every iterate satisfies them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.linear import Factored, SingularError
from screwgraph.optimize.methods.barrier_rule import lower_barrier
from screwgraph.optimize.methods.base import Run, Tolerances, is_small_step
from screwgraph.optimize.methods.convexity import Convexity, find_direction
from screwgraph.optimize.methods.feasibility import find_feasible
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.kkt_errors import compute_kkt_errors
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.newton_step import NewtonEquations
from screwgraph.optimize.methods.primal_dual_point import NEAR, PrimalDualPoint, PrimalDualStep, bound_point
from screwgraph.optimize.methods.slack_kernels import sum_logarithms
from screwgraph.optimize.result import Iterate, Status

CLOSED = 1e-2
"""Part of the tolerance of violations that a retraction leaves."""
CORRECTIONS = 20
"""Newton's steps of a retraction, at most."""
SLOW = 0.1
"""Part of the residual that a correction may leave; after more, slopes are taken where the unknowns are."""
FARTHEST, SUFFICIENT, SHORTEST = 0.995, 1e-4, 1e-10
"""Part of slacks and multipliers that a step may use up; of the decrease that its slope promises; of a step."""
RELAXED = 0.1
"""Part of the tolerance of violations by which inequalities are relaxed."""
NEARLY = 1e3
"""Times the tolerance, for the KKT conditions where steps change nothing any more."""


@dataclass(frozen=True)
class ConstraintManifold:
    """Newton's steps along the manifold of the equalities, each retracted to it. Absil, Mahony & Sepulchre (2008).

    Steps are those of the KKT equations, tangent to the manifold; corrections along its normals, in the metric of their
    matrix, retract them. So the cost falls in every iteration, and a search that is stopped leaves values at which hard
    factors hold. Inequalities have a barrier, and hold at every iterate, too: the start must satisfy them, or values
    near it. `barrier` is the first barrier parameter.
    """

    barrier: float = 0.1

    def __call__(
        self, assembly: Assembly, x: Float[np.ndarray, " s"], tolerances: Tolerances, memory: Mapping[str, Any]
    ) -> Run:
        """Solve from the values nearest to the start at which hard factors hold."""
        kkt = KktSystem(assembly, relaxed=RELAXED * tolerances.violation).with_row_scales(x, {})
        within = CLOSED * tolerances.violation
        closed = find_inside(kkt, x, within)
        if closed is None:
            near = find_feasible(assembly, x, within=tolerances.violation)
            yield Iterate(near.x, assembly.cost(near.x), near.left)
            return Status.INFEASIBLE, "no values near the start were found at which all hard factors hold"
        model = kkt.model(closed)
        duals = self.barrier / np.maximum(-model.g, NEAR)
        point = PrimalDualPoint(closed, -model.g, np.zeros(len(model.c)), duals, self.barrier)
        point = point.with_multipliers(kkt.least_squares_multipliers(model, point.z), point.z)
        exact = any(b.factors.kernels.derivation.is_cost for b in assembly.soft)
        convexity = Convexity(straight=not exact, shift=0.0, curvature=True)
        smallest = 0.1 * min(tolerances.violation, tolerances.dual)
        while True:
            error, numbers = compute_kkt_errors(model, point)
            yield Iterate(point.x, model.cost, model.violation, error.stationary)
            if not np.isfinite(model.cost):
                return Status.NOT_FINITE, "a cost is not finite"
            if error.hold(model, tolerances):
                return Status.CONVERGED, "the KKT conditions are satisfied"
            if len(point.s):
                point = lower_barrier(error, point, smallest)
            ready = find_direction(kkt, model, point, numbers, convexity)
            if isinstance(ready, str):
                return Status.SINGULAR, ready
            step, equations, convexity = ready
            if is_small_step(step.size, point.x, tolerances):
                is_nearly = error.largest(0.0) <= NEARLY * tolerances.dual
                return (
                    (Status.CONVERGED, "steps have become small")
                    if is_nearly
                    else (Status.STALLED, "steps have become small; the KKT conditions do not hold")
                )
            found = _search_curve(equations, step, within)
            if found is None and convexity.straight and not convexity.curved:
                convexity = replace(convexity, straight=False)  # once more, with curvature and a shift
                continue
            if found is None:
                return Status.STALLED, "no step lowers the cost; the hard factors hold"
            point, model, part = found
            convexity = convexity.after_step(part)


def find_inside(kkt: KktSystem, x: Float[np.ndarray, " s"], within: float) -> Float[np.ndarray, " s"] | None:
    """Return values near a start at which equalities hold within so much, and inequalities; None where none are found.

    Where corrections alone break inequalities, all hard factors are met by least squares first.
    """
    for start in (lambda: x, lambda: find_feasible(kkt.assembly, x, within=within).x):
        closed = retract_to_manifold(kkt, start(), within)
        if closed is not None and (kkt.measure(closed)[2] < 0.0).all():
            return closed
    return None


def retract_to_manifold(
    kkt: KktSystem, x: Float[np.ndarray, " s"], within: float, factored: Factored | None = None
) -> Float[np.ndarray, " s"] | None:
    """Return the values nearby at which equalities hold within so much; None where corrections do not lead there.

    Args:
        kkt: the equations.
        x: where to begin.
        within: largest residual, in the factors' units.
        factored: equations nearby whose slopes serve as long as they make the residual much smaller.
    """
    size = np.inf
    for _ in range(CORRECTIONS):
        c, A, left = kkt.linearise_equalities(x)
        if left <= within:
            return x
        if not np.isfinite(left):
            return None
        if factored is None or left > SLOW * size:
            try:
                factored = kkt.factor_slopes(A)
            except SingularError:
                return None
        size = left
        n = kkt.assembly.layout.size
        x = kkt.retract(x, factored.solve(np.concatenate([np.zeros(n), -c]))[:n])
    return None


def _search_curve(
    equations: NewtonEquations, step: PrimalDualStep, within: float
) -> tuple[PrimalDualPoint, LocalModel, float] | None:
    """Return the point after as much of a step as lowers the barrier's cost, the problem there, and that part."""
    kkt, model, point = equations.kkt, equations.model, equations.point
    longest, duals = step.find_longest_parts(1.0 - FARTHEST)
    before = model.cost - point.barrier * sum_logarithms(point.s)
    slope = step.slope - point.barrier * step.pull
    rounding, length = 1e-14 * abs(before), longest
    while length > SHORTEST * longest:
        x = retract_to_manifold(kkt, kkt.retract(point.x, length * step.x), within, equations.factored)
        if x is not None:
            cost, _, g = kkt.measure(x)
            slack = -g
            if (slack > (1.0 - FARTHEST) * point.s).all():
                after = cost - point.barrier * sum_logarithms(slack)
                if after <= before + SUFFICIENT * length * slope + rounding:
                    ahead = kkt.model(x, beside=model)
                    moved = PrimalDualPoint(
                        x, slack, point.y + length * step.y, point.z + duals * step.z, point.barrier
                    )
                    return bound_point(moved, ahead.bound.calls, ahead.addresses[1:3]), ahead, length / longest
        length *= 0.5
    return None
