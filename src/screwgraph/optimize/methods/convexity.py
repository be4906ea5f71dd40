"""Steps of descent on constraints: how the matrix of Newton's equations is made convex there."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import isfinite

from screwgraph.optimize.linear import SingularError
from screwgraph.optimize.methods.kkt import KktSystem
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.newton_step import (
    NewtonEquations,
    solve_mehrotra_step,
    solve_newton_step,
    solve_predicted_step,
)
from screwgraph.optimize.methods.primal_dual_point import PointNumbers, PrimalDualPoint, PrimalDualStep

LARGEST_SHIFT = 1e20
FIRST_SHIFT = 1e-4
SKIPPED = 1
"""Steps in which curvature is not tried again after it was not convex."""
STRAIGHT = 0.9
"""Gauss-Newton's matrix serves while so much of its steps, as far as slacks allow, is accepted."""
LONGEST = 10
"""So many steps in a row it serves: after these, what is left of the curvature makes convergence slow."""


@dataclass(frozen=True)
class Convexity:
    """How H is made convex: `straight` leaves curvature out; else the last shift of its diagonal is where to begin.

    `curved`: whether the last H had the curvature of hard factors; `plain`: how many steps since then had none;
    `skipped`: in so many steps to come, that is not tried, since it was not convex.
    """

    straight: bool
    shift: float
    curvature: bool
    curved: bool = True
    plain: int = 0
    skipped: int = 0

    @property
    def begins_curved(self) -> bool:
        """Whether H is tried with the curvature of hard factors first."""
        return self.curvature and not (self.straight and self.skipped)

    def larger(self, shift: float) -> float:
        """Return the shift to try after one that did not suffice."""
        if shift == 0.0:
            return FIRST_SHIFT if self.shift == 0.0 else max(1e-20, self.shift / 3.0)
        return shift * (100.0 if self.shift == 0.0 else 8.0)

    def after_step(self, part: float) -> Convexity:
        """Return what to do after such a part of a step was accepted."""
        plain = 0 if self.curved else self.plain + 1
        leads_on = self.curved or (part > STRAIGHT and (plain < LONGEST or not self.curvature))
        straight = self.straight and leads_on
        is_same = (straight, plain) == (self.straight, self.plain)
        return self if is_same else replace(self, straight=straight, plain=plain)


def find_direction(
    kkt: KktSystem,
    model: LocalModel,
    point: PrimalDualPoint,
    numbers: PointNumbers,
    convexity: Convexity,
    *,
    predicts: bool = False,
) -> tuple[PrimalDualStep, NewtonEquations, Convexity] | str:
    """Return a step of descent, its equations, and how these came to be convex; or why there is none.

    `numbers` are the point's, whatever its barrier parameter.
    `predicts`: whether the step chooses the barrier parameter that it goes towards.
    """
    n, rows, curved, shift = len(model.gradient), len(model.c), convexity.begins_curved, 0.0
    slack, bad, firm = 0.0, -1, False
    made = solve_newton_step if convexity.curvature or not convexity.straight else solve_mehrotra_step
    if predicts:
        made = solve_predicted_step
    while shift <= LARGEST_SHIFT:
        multipliers = (point.y, point.z) if curved else None
        try:
            factored = kkt.factor(model, multipliers, numbers.ratios, shift, slack, firm=firm)
            if factored.negative == rows:
                equations = NewtonEquations(kkt, model, point, numbers, factored)
                step = made(equations)
                if isfinite(step.size):
                    last = shift if shift > 0.0 else convexity.shift
                    left = SKIPPED if convexity.begins_curved and not curved else max(convexity.skipped - 1, 0)
                    if (last, curved, left) != (convexity.shift, convexity.curved, convexity.skipped):
                        convexity = replace(convexity, shift=last, curved=curved, skipped=left)
                    return step, equations, convexity
        except SingularError as error:
            slack, bad = 1e-9, error.unknown
        if curved and convexity.straight:
            curved = False
        elif not curved and not firm:
            firm = True  # squares alone are convex: signs of pivots may be rounding
        else:
            shift = convexity.larger(shift)
    where = f": {kkt.assembly.layout.name_direction(bad)} is not determined" if 0 <= bad < n else ""
    return f"the KKT equations are singular{where}"
