"""Integration rules as numbers: what the points of a time step have to do with each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any, Protocol

from screwgraph.base.summary import one_line
from screwgraph.spatial import Array, concatenate

Row = tuple[float, ...]
Point = tuple[Any, Any, Any]
"""Position, velocity and acceleration at a time."""


class Space(Protocol):
    """Operations on the manifold of positions that explicit rules need."""

    def retract(self, x: Array, d: Array, /) -> Array:
        """Return where the constant velocity d leads from x in a unit of time."""
        ...

    def step_rate(self, d: Array, v: Array, /) -> Array:
        """Return the rate of d where retract(x, d) moves at the velocity v."""
        ...


class Positions(Space, Protocol):
    """Operations on it that implicit rules need besides."""

    def defect(self, x: Array, y: Array, /) -> Array:
        """Return what vanishes where x and y are equal, in velocity coordinates."""
        ...


@dataclass(frozen=True)
class Rule:
    """A Runge-Kutta rule for q' = v, v' = a, whose points stand at `nodes` of a step of length 1, 0 first and 1 last.

    Each point after the first has a row in `velocity`, `position` and `curvature`: its velocity is
    v0 + h sum(velocity a), its position is q0 moved by h sum(position v) + h^2 sum(curvature a), over the points.
    Hairer, Norsett & Wanner (1993), section II.7 and II.14.

    On manifolds velocities are corrected by the inverse differential of the exponential map, `corrections` times for
    implicit rules (Munthe-Kaas; Hairer, Lubich & Wanner, 2006, section IV.8): `order` holds there, too.

    `holds`: whether torques are constant over a step (zero-order hold); else they are at points as accelerations are.
    """

    __repr__ = one_line

    name: str
    order: int
    nodes: Row
    velocity: tuple[Row, ...]
    position: tuple[Row, ...]
    curvature: tuple[Row, ...] = ()
    corrections: int = 0
    holds: bool = False

    @property
    def weights(self) -> Row:
        """Quadrature weights of the points of a step of length 1."""
        return self.velocity[-1]

    @cached_property
    def accelerated(self) -> tuple[int, ...]:
        """Points whose accelerations have a weight."""
        rows = (*self.velocity, *self.curvature)
        return tuple(i for i in range(len(self.nodes)) if any(row[i] for row in rows))

    @property
    def is_explicit(self) -> bool:
        """Whether each point follows from those before it."""
        later = [row[i:] for i, row in enumerate(self.velocity, 1)]
        later += [row[i + 1 :] for i, row in enumerate(self.position, 1)]
        return not self.curvature and not any(map(any, later))

    def velocities(self, v: Any, a: Sequence[Any], h: Any) -> list[Any]:
        """Return the velocities of all points, given that of the first and accelerations; h is the step (s)."""
        return [v, *(v + combine_rates(row, a, h) for row in self.velocity)]

    def steps(self, positions: Space, v: Sequence[Any], a: Sequence[Any], h: Any) -> list[Any]:
        """Return the tangents at the first position that lead to each further point, of a rule that is not explicit."""
        found = [self._step(i, v, a, h) for i in range(len(self.position))]
        for _ in range(self.corrections):
            rates = [v[0], *map(positions.step_rate, found, v[1:])]
            found = [self._step(i, rates, a, h) for i in range(len(self.position))]
        return found

    def defects(self, positions: Positions, points: Sequence[Point], h: Any) -> Any:
        """Return what vanishes where the points of a step of length h (s) obey the rule, (2 nv,) for each further one.

        Accelerations with no weight may be None.
        """
        q, v, a = zip(*points, strict=True)
        steps, velocities, rows = self.steps(positions, v, a, h), self.velocities(v[0], a, h), []
        for i, step in enumerate(steps, 1):
            rows += [positions.defect(positions.retract(q[0], step), q[i]), v[i] - velocities[i]]
        return concatenate(*rows)

    def _step(self, i: int, v: Sequence[Any], a: Sequence[Any], h: Any) -> Any:
        along = combine_rates(self.position[i], v, h)
        return along + combine_rates(self.curvature[i], a, h * h) if self.curvature else along


def combine_rates(row: Row, rates: Sequence[Any], h: Any) -> Any:
    """Return h sum(row rates): one product for rates of equal weight."""
    total: Any = None
    for weight, first, others in _groups(row):
        part = rates[first]
        for i in others:
            part = part + rates[i]
        part = (h * weight) * part
        total = part if total is None else total + part
    return total


@cache
def _groups(row: Row) -> tuple[tuple[float, int, tuple[int, ...]], ...]:
    """Return each weight of a row that is not zero, and the places where it stands: the first, and the others."""
    places = {weight: [i for i, w in enumerate(row) if w == weight] for weight in row if weight}
    return tuple((weight, first, tuple(others)) for weight, (first, *others) in places.items())
