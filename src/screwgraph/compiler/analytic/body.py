"""Moments of mass, momentum and wrench of links and of all that hangs on them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.compiler.analytic.motion import Motion
from screwgraph.compiler.analytic.turn import Turn
from screwgraph.compiler.analytic.vectors import (
    Matrix,
    Pair,
    Vector,
    add,
    cross,
    matrix_sum,
    minus,
    outer,
    pair_sum,
    scaled,
    times,
    trace,
    transposed,
)
from screwgraph.robot.parameters import sizes
from screwgraph.spatial import SpatialInertia
from screwgraph.tape import Number

CLEAN = 1e-15
"""Second moments this small beside the rotational inertia are what rounding left of it."""


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

    def inertia_times(self, twist: Pair) -> Pair:
        """Return the wrench G A for an acceleration A."""
        alpha, a = twist
        about = minus(scaled(trace(self.second), alpha), times(self.second, alpha))
        return add(about, cross(self.first, a)), add(scaled(self.mass, a), cross(alpha, self.first))

    def coriolis(self, omega: Vector) -> Pair:
        """Return the wrench of the Coriolis accelerations 2 omega x u."""
        about = minus(scaled(trace(self.flow), omega), times(self.flow, omega))
        return scaled(2.0, about), scaled(2.0, cross(omega, self.momentum))

    def felt_coriolis(self, axis: Pair) -> Vector:
        """Return the vector c for which c' omega is the power of `coriolis(omega)` along a screw axis."""
        s, m = axis
        about = minus(scaled(trace(self.flow), s), times(transposed(self.flow), s))
        return scaled(2.0, add(about, cross(self.momentum, m)))

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
    about = inertia.about_origin
    flat = np.trace(about) / 2.0 * np.eye(3) - about
    second: Matrix = np.where(sizes(flat) > CLEAN * sizes(about).max(), flat, 0.0).tolist()
    first, omega = inertia.first_moment.tolist(), moved.omega
    momentum = cross(omega, first)
    flow = transposed([cross(omega, column) for column in second])
    still = Body(inertia.mass, first, second, momentum, flow, (outside[0], outside[1]))
    moment, force = still.inertia_times(moved.acceleration)
    spin = minus(scaled(trace(second), omega), times(second, omega))
    wrench = add(moment, cross(omega, spin)), add(force, cross(omega, momentum))
    return Body(still.mass, first, second, momentum, flow, (minus(wrench[0], outside[0]), minus(wrench[1], outside[1])))


def _symmetric_sum(r: Vector, before: Vector, after: Vector) -> Matrix:
    """Return r before' + after r', which is symmetric where after = before + mass r."""
    upper: dict[tuple[int, int], Number] = {}
    for i in range(3):
        for j in range(i, 3):
            upper[i, j] = r[i] * before[j] + after[i] * r[j]
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
