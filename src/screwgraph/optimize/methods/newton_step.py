"""Steps of a primal-dual interior-point method. Nocedal & Wright (2006), (19.12)."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from jaxtyping import Float

from screwgraph.compiler.kernels import address_of, new_arrays
from screwgraph.optimize.linear import Factored
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.primal_dual_point import PointNumbers, PrimalDualPoint, PrimalDualStep

Residuals = tuple[Float[np.ndarray, " m"], Float[np.ndarray, " k"]]
"""Of equalities, and of inequalities with slacks."""
ACCURACY = 1e-7
"""Of a step that would leave much over, row by row; what is left over is what the next step takes away."""
ROUGH = np.inf
"""Accuracy of a step that only tells how products of slacks and multipliers bend."""

LEAST_SHARE, LEAST_BARRIER = 1e-4, 1e-9
"""Of a predicted barrier parameter: the least part of the last mean product, and the least one."""
SHORTER = 0.7
"""A step that stops at less than this part of where a plain one would is not taken."""


class NewtonEquations(NamedTuple):
    """The equations of Newton's steps from a point: the problem's model there, and factors of its KKT matrix."""

    kkt: KktSystem
    model: LocalModel
    point: PrimalDualPoint
    numbers: PointNumbers
    factored: Factored

    def with_barrier(self, barrier: float) -> NewtonEquations:
        """Return the equations with another barrier parameter, on which their matrix does not depend."""
        point = self.point.with_barrier(barrier)
        return NewtonEquations(self.kkt, self.model, point, self.numbers, self.factored)


def solve_newton_step(
    equations: NewtonEquations,
    residuals: Residuals | None = None,
    *,
    before: PrimalDualStep | None = None,
    bend: float = 1.0,
    accuracy: float = ACCURACY,
) -> PrimalDualStep:
    """Solve for a step that takes residuals c and r = g + s away, those at the point unless others are given.

    Solved for changes of multipliers, not for these: what regularisation takes from an answer is then small with it.
    Products of slacks' and multipliers' changes are expected to be `bend` times those of a step `before`.
    """
    _, model, point, numbers, factored = equations
    c, r = residuals or (model.c, numbers.r)
    c_at, r_at = (model.addresses[1], numbers.addresses[1]) if residuals is None else map(address_of, residuals)
    n, calls = len(model.gradient), model.bound.calls
    (_, s, _, z), (_, other_s, _, other_z) = point.addresses, (point if before is None else before).addresses
    (ds, dz), (to_s, to_z) = new_arrays(len(r), len(r))
    given = (s, z, r_at, other_s, other_z, point.barrier, 0.0 if before is None else bend)
    calls.write_right(*given, numbers.addresses[0], c_at, to_s)
    both = factored.correction(calls.right, accuracy)
    d = address_of(both)
    calls.write_changes(*given, d, to_s, to_z)
    least_s, least_z, pull, size, slope = calls.found[:5].tolist()
    sizes = (least_s, least_z), pull, size, slope, point.barrier
    return PrimalDualStep(both[:n], ds, both[n:], dz, c, r, *sizes, (d, to_s, d + n * both.itemsize, to_z))


def solve_mehrotra_step(equations: NewtonEquations) -> PrimalDualStep:
    """Return such a step to second order in products of slacks and multipliers. Mehrotra (1992).

    The products are those of a first step, as far as it may go: where neither factor stays away from zero, plain steps
    only halve both. Where the answer must stop earlier than that first step, it is a plain one.
    """
    if not len(equations.numbers.r):
        return solve_newton_step(equations)
    first = solve_newton_step(equations, accuracy=ROUGH)
    part = _part(first)
    bent = solve_newton_step(equations, before=first, bend=part**2)
    return bent if _part(bent) >= SHORTER * part else solve_newton_step(equations)


def solve_predicted_step(equations: NewtonEquations) -> PrimalDualStep:
    """Return a step towards the barrier parameter that a first step without one predicts. Mehrotra (1992).

    The parameter is the mean product of slacks and multipliers, times the cube of the part of it that the first step
    would leave; the products of the first step's changes are allowed for.
    """
    point, total = equations.point, equations.numbers.total
    first = solve_newton_step(equations.with_barrier(0.0), accuracy=ROUGH)
    slacks, duals = first.find_longest_parts(0.0)
    both = (*point.addresses[1::2], *first.addresses[1::2])
    ahead = equations.model.bound.calls.multiply_ahead(*both, slacks, duals)
    share = min(1.0, max(LEAST_SHARE, (ahead / total) ** 3))
    aimed = equations.with_barrier(max(LEAST_BARRIER, share * total / point.s.size))
    return solve_newton_step(aimed, before=first)


def _part(step: PrimalDualStep) -> float:
    """Return how much of a step leaves slacks and multipliers positive."""
    return min(step.find_longest_parts(0.0))


def correct_second_order(
    equations: NewtonEquations, step: PrimalDualStep, end: PrimalDualPoint, ahead: LocalModel
) -> PrimalDualStep:
    """Return the step with a second-order correction: residuals at its `end`, where `ahead` is, are taken away, too."""
    return solve_newton_step(equations, (ahead.c + step.c, ahead.g + end.s + step.r))
