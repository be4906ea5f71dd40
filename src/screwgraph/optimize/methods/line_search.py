"""How far to go along a step: until cost, barrier and broken constraints together decrease."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.optimize.linear import Factored
from screwgraph.optimize.methods.base import dot
from screwgraph.optimize.methods.kkt import Kkt, Model
from screwgraph.optimize.methods.newton_step import corrected
from screwgraph.optimize.methods.point import Point, Step

DECREASE = 1e-4
SHORTEST = 1e-8


@dataclass(frozen=True)
class Merit:
    """Cost - barrier sum(log s) + penalty (|c|_1 + |g + s|_1), at a point, and its slope along a step."""

    value: float
    slope: float
    penalty: float

    @classmethod
    def of(cls, kkt: Kkt, model: Model, point: Point, step: Step, factored: Factored, penalty: float) -> Merit:
        """Choose the penalty so that the step leads down. Nocedal & Wright (2006), (18.36)."""
        broken = _size(model.c) + _size(model.g + point.s)
        slope = dot(model.gradient, step.x) - point.barrier * float((step.s / point.s).sum())
        curved = dot(step.x, kkt.assembly.product(model.entries, step.x))
        curved += float((point.z / point.s * step.s**2).sum())
        if broken > 0.0:
            penalty = max(penalty, (slope + 0.5 * max(curved, 0.0)) / (0.5 * broken))
        value = model.cost - point.barrier * float(np.log(point.s).sum()) + penalty * broken
        return cls(value, slope - penalty * broken, penalty)

    def accepts(self, value: float, length: float) -> bool:
        """Whether a value after so much of the step is low enough."""
        return value <= self.value + DECREASE * length * min(self.slope, 0.0) + 1e-13 * abs(self.value)


def searched(
    kkt: Kkt, model: Model, point: Point, step: Step, factored: Factored, merit: Merit
) -> tuple[Point, float] | None:
    """Return the point after as much of a step as lowers the merit, and how much; None where hardly any does."""
    keep = 1.0 - max(0.99, 1.0 - point.barrier)
    longest, duals = _longest(point.s, step.s, keep), _longest(point.z, step.z, keep)
    length = longest
    while length > SHORTEST:
        found = _at(kkt, point, step, length, duals)
        if merit.accepts(_value(kkt, found, merit.penalty), length):
            return found, length
        if length == longest and longest > 0.5:
            bent = corrected(kkt, model, point, factored, step, found.x, found.s)
            far = _longest(point.s, bent.s, keep)
            other = _at(kkt, point, bent, far, _longest(point.z, bent.z, keep))
            if merit.accepts(_value(kkt, other, merit.penalty), far):
                return other, far
        length *= 0.5
    return None


def _at(kkt: Kkt, point: Point, step: Step, length: float, duals: float) -> Point:
    x = kkt.assembly.layout.moved(point.x, length * step.x)
    s, z = point.s + length * step.s, point.z + duals * step.z
    return Point(x, s, point.y + length * step.y, z, point.barrier)


def _value(kkt: Kkt, point: Point, penalty: float) -> float:
    """Return the merit of a point; infinite where something is not a number."""
    views = kkt.assembly.layout.views(point.x)
    c, g = kkt.assembly.equalities.residuals(views), kkt.assembly.inequalities.residuals(views)
    s = np.maximum(point.s, -g)
    value = kkt.assembly.cost(point.x) - point.barrier * float(np.log(s).sum()) + penalty * (_size(c) + _size(g + s))
    return value if np.isfinite(value) else np.inf


def _longest(values: np.ndarray, step: np.ndarray, keep: float) -> float:
    """Return how much of a step leaves of each value at least a part `keep`."""
    down = step < 0.0
    return float(min(1.0, ((keep - 1.0) * values[down] / step[down]).min(initial=1.0)))


def _size(vector: np.ndarray) -> float:
    return float(np.abs(vector).sum())
