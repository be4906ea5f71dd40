"""Moments of mass, momentum and wrench of links and of all that hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.analytic.coriolis import Coriolis, coriolis
from screwgraph.compiler.analytic.motion import Motion
from screwgraph.compiler.analytic.turn import Turn
from screwgraph.compiler.analytic.vectors import (
    NOTHING,
    ZERO,
    Matrix,
    Pair,
    Vector,
    add,
    columns_crossed,
    cross,
    doubled,
    matrix_sum,
    minus,
    outer,
    pair_sum,
    scaled,
    spread,
    times,
)
from screwgraph.spatial import SpatialInertia, second_moments
from screwgraph.tape import Number


@dataclass(frozen=True)
class Body:
    """Moments of mass about a link's origin, of velocities u as the observer of `Motion` sees them.

    `first` is the integral of r dm, `second` of r r' dm, `momentum` of u dm, `flow` of u r' dm; `wrench` is what
    moves it.
    """

    mass: Number
    first: Vector
    second: Matrix
    momentum: Vector
    flow: Matrix
    wrench: Pair

    def __add__(self, other: Body) -> Body:
        """Join two bodies that are given about the same origin."""
        return Body(
            self.mass + other.mass,
            add(self.first, other.first),
            matrix_sum(self.second, other.second),
            add(self.momentum, other.momentum),
            matrix_sum(self.flow, other.flow),
            pair_sum(self.wrench, other.wrench),
        )

    @cached_property
    def rotational(self) -> Matrix:
        """The rotational inertia."""
        return spread(self.second)

    def inertia_times(self, twist: Pair) -> Pair:
        """Return the wrench G A for an acceleration A."""
        alpha, a = twist
        return add(times(self.rotational, alpha), cross(self.first, a)), add(
            scaled(self.mass, a), cross(alpha, self.first)
        )

    @cached_property
    def half_coriolis(self) -> Coriolis:
        """Half of what the Coriolis accelerations 2 omega x u take."""
        return coriolis(self.flow, self.momentum)

    def coriolis(self, omega: Vector) -> Pair:
        """Return the wrench of the Coriolis accelerations 2 omega x u."""
        return doubled(self.half_coriolis.wrench(omega))

    def felt_coriolis(self, axis: Pair) -> Vector:
        """Return the vector c for which c' omega is the power of `coriolis(omega)` along a screw axis."""
        return scaled(2.0, self.half_coriolis.felt(axis))

    def moving(self, twist: Pair, acceleration: Pair, outside: Pair) -> Body:
        """Return the same moments of a body that moves so; `outside` is the wrench that acts on it from outside."""
        omega, v = twist
        momentum = add(cross(omega, self.first), scaled(self.mass, v))
        flow = matrix_sum(columns_crossed(omega, self.second), outer(v, self.first))
        alpha, a = acceleration
        moment, force = self.inertia_times((alpha, add(a, cross(omega, v))))
        spin, swing = scaled(-1.0, times(self.second, omega)), cross(omega, self.first)
        wrench = minus(add(moment, cross(omega, spin)), outside[0]), minus(add(force, cross(omega, swing)), outside[1])
        return Body(self.mass, self.first, self.second, momentum, flow, wrench)

    def seen(self, R: Matrix, x: Vector) -> Body:
        """Return mass and moments about a point from which the origin is at x, in axes that R turns into."""
        first = times(R, self.first)
        shifted = add(first, scaled(self.mass, x))
        turned = Turn((R,), x).up_symmetric(self.second)
        second = matrix_sum(turned, _symmetric_sum(x, first, shifted))
        return Body(self.mass, shifted, second, self.momentum, self.flow, self.wrench)

    def on_parent(self, moved: Motion) -> Body:
        """Return the same about the parent's origin, in its axes, as its observer sees it."""
        turn, r = moved.turn, moved.turn.origin
        drifting = add(self.momentum, scaled(self.mass, moved.drift))
        flow = turn.up_matrix(matrix_sum(self.flow, outer(moved.drift, self.first)))
        first, momentum, (moment, force) = turn.up(self.first), turn.up(drifting), map(turn.up, self.wrench)
        shifted = add(first, scaled(self.mass, r))
        second = matrix_sum(turn.up_symmetric(self.second), _symmetric_sum(r, first, shifted))
        flow = matrix_sum(flow, outer(momentum, r))
        return Body(self.mass, shifted, second, momentum, flow, (add(moment, cross(r, force)), force))


def body(inertia: SpatialInertia, moved: Motion, outside: Pair) -> Body:
    """Return one link's own; `outside` is the wrench that acts on it from outside, about its origin."""
    return still(inertia).moving((moved.omega, ZERO), moved.acceleration, outside)


def still(inertia: SpatialInertia) -> Body:
    """Return a link's own mass and moments about its origin."""
    second: Matrix = second_moments(inertia.about_origin).tolist()
    return Body(inertia.mass, inertia.first_moment.tolist(), second, ZERO, [ZERO] * 3, NOTHING)


def _symmetric_sum(r: Vector, before: Vector, after: Vector) -> Matrix:
    """Return r before' + after r', which is symmetric where after = before + mass r."""
    upper: dict[tuple[int, int], Number] = {}
    for i in range(3):
        for j in range(i, 3):
            upper[i, j] = r[i] * before[j] + after[i] * r[j]
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
