"""How far to go along a step: until constraints are broken less, or the cost with its barrier is lower.

Waechter & Biegler (2006), On the implementation of an interior-point filter line-search algorithm.
"""

from __future__ import annotations

from math import isfinite
from typing import NamedTuple

import numpy as np

from screwgraph.compiler.kernels import address_of, new_arrays
from screwgraph.optimize.methods.base import max_magnitude
from screwgraph.optimize.methods.local_model import LocalModel
from screwgraph.optimize.methods.newton_step import NewtonEquations, correct_second_order
from screwgraph.optimize.methods.primal_dual_point import PrimalDualPoint, PrimalDualStep, bound_point
from screwgraph.optimize.methods.slack_kernels import SlackCalls, sum_logarithms

MARGIN = 1e-5
"""By how much of `broken` a point must be better than another, in either respect."""
DECREASE = 1e-4
SHORTEST = 1e-8
LARGEST = 1e4
ROUNDING = 1e-10
CLOSEST = 1e-3
"""Part of each slack and multiplier that a step leaves at least: slacks far below barrier / multiplier make the
condensed equations numerically singular."""


class MeritPair(NamedTuple):
    """Merit of a point: `broken` = |c|_1 + |g + s|_1, and `cost` with its barrier, both to be small."""

    broken: float
    cost: float


class Filter(NamedTuple):
    """Points that must not be returned to, of one barrier problem; `first` is what was broken at the first point."""

    first: float
    points: tuple[MeritPair, ...] = ()

    def accepts(self, new: MeritPair, old: MeritPair, slope: float, length: float) -> bool:
        """Whether a point after so much of a step from the old one will do; `slope` is that of the cost."""
        if not isfinite(new.cost) or not new.broken <= LARGEST * max(1.0, self.first):
            return False
        if any(new.broken >= p.broken and new.cost >= p.cost for p in self.points):
            return False
        rounding = ROUNDING * abs(old.cost)
        if self.descends(old, slope, length):
            return new.cost <= old.cost + DECREASE * length * slope + rounding
        return new.broken <= (1.0 - MARGIN) * old.broken or new.cost <= old.cost - MARGIN * old.broken + rounding

    def descends(self, old: MeritPair, slope: float, length: float) -> bool:
        """Whether little is broken, and the cost is promised to go down by much more than that."""
        small = old.broken <= 1e-4 * max(1.0, self.first)
        return small and slope < 0.0 and length * (-slope) ** 2.3 > old.broken**1.1

    def after_step(self, old: MeritPair, slope: float, length: float) -> Filter:
        """Return the filter after a step from the old point: unless the cost went down, that is not returned to."""
        if self.descends(old, slope, length):
            return self
        corner = MeritPair((1.0 - MARGIN) * old.broken, old.cost - MARGIN * old.broken)
        return Filter(self.first, (*self.points, corner))


class LineSearchResult(NamedTuple):
    """A point, how much of the step leads there, the part of it that slacks allowed, and the filter from now on.

    `model` is the problem there, if it was evaluated.
    """

    point: PrimalDualPoint
    length: float
    longest: float
    filter: Filter
    model: LocalModel | None = None


def search_line(
    equations: NewtonEquations, step: PrimalDualStep, passed: Filter, most: float = 1.0
) -> LineSearchResult | None:
    """Return the point after as much of a step as the filter accepts, or None where hardly any of it will do.

    All of the step mostly will: so the problem is evaluated there whole, with slopes. More than `most` of it is not
    tried.
    """
    kkt, model, point = equations.kkt, equations.model, equations.point
    keep = min(0.01, max(CLOSEST, point.barrier))
    longest, duals = step.find_longest_parts(keep)
    longest = min(most, longest)
    broken, logarithms = point.merit or (total_violation(model, point), sum_logarithms(point.s))
    old = MeritPair(broken, model.cost - point.barrier * logarithms)
    slope = step.slope - point.barrier * step.pull
    length, ahead = longest, None
    # Where the cost is to go down, steps that are much longer than the unknowns are worth more trials.
    while length > SHORTEST or (
        passed.descends(old, slope, longest) and length > SHORTEST / _compare_size(step, point)
    ):
        tried = _point_along(equations, step, length, duals)
        if length == longest:
            ahead = kkt.model(tried.x, beside=model)
            found, new = _measure(tried, ahead.bound.calls, ahead.cost, ahead.addresses[1:3])
        else:
            ahead = None
            found, new = _measure_merit(equations, tried)
        if passed.accepts(new, old, slope, length):
            return LineSearchResult(found, length, longest, passed.after_step(old, slope, length), ahead)
        if ahead is not None and new.broken >= old.broken:
            bent = correct_second_order(equations, step, tried, ahead)
            far, far_duals = bent.find_longest_parts(keep)
            far = min(most, far)
            other, merit = _measure_merit(equations, _point_along(equations, bent, far, far_duals))
            if passed.accepts(merit, old, slope, far):
                return LineSearchResult(other, far, far, passed.after_step(old, slope, far))
        length *= 0.5
    return None


def total_violation(model: LocalModel, point: PrimalDualPoint) -> float:
    """Return the sum of all residuals of hard factors."""
    if point.merit is not None:
        return point.merit[0]
    return _size(model.c) + _size(model.g + point.s)


def _compare_size(step: PrimalDualStep, point: PrimalDualPoint) -> float:
    """Return how much longer a step is than the unknowns, 1 at least."""
    return max(1.0, step.size / max(1.0, max_magnitude(point.x)))


def _point_along(equations: NewtonEquations, step: PrimalDualStep, length: float, duals: float) -> PrimalDualPoint:
    kkt, model, point = equations.kkt, equations.model, equations.point
    n, m, k = len(point.x), len(point.y), len(point.s)
    is_plain = kkt.assembly.layout.is_plain and kkt.units is None
    (x, s, y, z), (to_x, to_s, to_y, to_z) = new_arrays(n, k, m, k)
    if not is_plain:
        x[:] = kkt.retract(point.x, length * step.x)
    (x0, s0, y0, z0), (dx, ds, dy, dz) = point.addresses, step.addresses
    given = (s0, z0, ds, dz, y0, dy, x0, dx, length, duals, to_s, to_z, to_y, to_x)
    model.bound.calls.move_point(*given, n if is_plain else 0)
    return PrimalDualPoint(x, s, y, z, point.barrier, None, (to_x, to_s, to_y, to_z))


def _measure_merit(equations: NewtonEquations, point: PrimalDualPoint) -> tuple[PrimalDualPoint, MeritPair]:
    cost, c, g = equations.kkt.measure(point.x)
    return _measure(point, equations.model.bound.calls, cost, (address_of(c), address_of(g)))


def _measure(
    point: PrimalDualPoint, calls: SlackCalls, cost: float, residuals: tuple[int, ...]
) -> tuple[PrimalDualPoint, MeritPair]:
    """Return a point within its bounds, and its merit."""
    bounded = bound_point(point, calls, residuals)
    broken, logarithms = bounded.merit or (0.0, 0.0)
    return bounded, MeritPair(broken, cost - point.barrier * logarithms)


def _size(vector: np.ndarray) -> float:
    return float(np.abs(vector).sum())
