"""Moments of mass, momentum and wrench of links and of all that hangs on them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from screwgraph.compiler.derivatives.analytic.link_motion import JointRotation, LinkMotion
from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    NOTHING,
    ZERO,
    Matrix,
    Pair,
    Vector,
    add,
    add_matrices,
    add_pairs,
    cross,
    cross_columns,
    double_pair,
    multiply_vector,
    outer,
    scale,
    trace_minus,
    transpose,
)
from screwgraph.spatial import SpatialInertia, second_moments
from screwgraph.tape import Number
from screwgraph.tape.sparse_rows import subtract


@dataclass(frozen=True)
class BodyMoments:
    """Moments of mass about a link's origin, of velocities u as the observer of `LinkMotion` sees them.

    `first` is the integral of r dm, `second` of r r' dm, `momentum` of u dm, `flow` of u r' dm; `wrench` is what
    moves it.
    """

    mass: Number
    first: Vector
    second: Matrix
    momentum: Vector
    flow: Matrix
    wrench: Pair

    def __add__(self, other: BodyMoments) -> BodyMoments:
        """Join two bodies that are given about the same origin."""
        return BodyMoments(
            self.mass + other.mass,
            add(self.first, other.first),
            add_matrices(self.second, other.second),
            add(self.momentum, other.momentum),
            add_matrices(self.flow, other.flow),
            add_pairs(self.wrench, other.wrench),
        )

    @cached_property
    def rotational(self) -> Matrix:
        """The rotational inertia."""
        return trace_minus(self.second)

    def inertia_times(self, twist: Pair) -> Pair:
        """Return the wrench G A for an acceleration A."""
        alpha, a = twist
        return add(multiply_vector(self.rotational, alpha), cross(self.first, a)), add(
            scale(self.mass, a), cross(alpha, self.first)
        )

    @cached_property
    def half_coriolis(self) -> Coriolis:
        """Half of what the Coriolis accelerations 2 omega x u take."""
        return compute_coriolis(self.flow, self.momentum)

    def coriolis(self, omega: Vector) -> Pair:
        """Return the wrench of the Coriolis accelerations 2 omega x u."""
        return double_pair(self.half_coriolis.wrench(omega))

    def felt_coriolis(self, axis: Pair) -> Vector:
        """Return the vector c for which c' omega is the power of `coriolis(omega)` along a screw axis."""
        return scale(2.0, self.half_coriolis.felt(axis))

    def moving(self, twist: Pair, acceleration: Pair, outside: Pair) -> BodyMoments:
        """Return the same moments of a body that moves so; `outside` is the wrench that acts on it from outside."""
        omega, v = twist
        momentum = add(cross(omega, self.first), scale(self.mass, v))
        flow = add_matrices(cross_columns(omega, self.second), outer(v, self.first))
        alpha, a = acceleration
        moment, force = self.inertia_times((alpha, add(a, cross(omega, v))))
        spin, swing = scale(-1.0, multiply_vector(self.second, omega)), cross(omega, self.first)
        wrench = (
            subtract(add(moment, cross(omega, spin)), outside[0]),
            subtract(add(force, cross(omega, swing)), outside[1]),
        )
        return BodyMoments(self.mass, self.first, self.second, momentum, flow, wrench)

    def seen(self, R: Matrix, x: Vector) -> BodyMoments:
        """Return mass and moments about a point from which the origin is at x, in axes that R turns into."""
        first = multiply_vector(R, self.first)
        shifted = add(first, scale(self.mass, x))
        turned = JointRotation((R,), x).up_symmetric(self.second)
        second = add_matrices(turned, _symmetric_sum(x, first, shifted))
        return BodyMoments(self.mass, shifted, second, self.momentum, self.flow, self.wrench)

    def on_parent(self, moved: LinkMotion) -> BodyMoments:
        """Return the same about the parent's origin, in its axes, as its observer sees it."""
        turn, r = moved.turn, moved.turn.origin
        drifting = add(self.momentum, scale(self.mass, moved.drift))
        flow = turn.up_matrix(add_matrices(self.flow, outer(moved.drift, self.first)))
        first, momentum, (moment, force) = (
            turn.to_parent(self.first),
            turn.to_parent(drifting),
            map(turn.to_parent, self.wrench),
        )
        shifted = add(first, scale(self.mass, r))
        second = add_matrices(turn.up_symmetric(self.second), _symmetric_sum(r, first, shifted))
        flow = add_matrices(flow, outer(momentum, r))
        return BodyMoments(self.mass, shifted, second, momentum, flow, (add(moment, cross(r, force)), force))


@dataclass(frozen=True)
class Coriolis:
    """Half the wrench of the accelerations 2 omega x u of particles with velocities u, for each omega.

    `spread` is trace(flow) - flow, where flow is the integral of u r' dm; `momentum` is the integral of u dm.
    """

    spread: Matrix
    momentum: Vector

    def wrench(self, omega: Vector) -> Pair:
        """Return half the wrench."""
        return multiply_vector(self.spread, omega), cross(omega, self.momentum)

    def felt(self, axis: Pair) -> Vector:
        """Return the vector c for which c' omega is the power of `wrench(omega)` along a screw axis."""
        return add(multiply_vector(transpose(self.spread), axis[0]), cross(self.momentum, axis[1]))


def compute_coriolis(flow: Matrix, momentum: Vector) -> Coriolis:
    """Return what particles of this flow and momentum take."""
    return Coriolis(trace_minus(flow), momentum)


def compute_body_moments(inertia: SpatialInertia, moved: LinkMotion, outside: Pair) -> BodyMoments:
    """Return one link's own; `outside` is the wrench that acts on it from outside, about its origin."""
    return compute_rest_moments(inertia).moving((moved.omega, ZERO), moved.acceleration, outside)


def compute_rest_moments(inertia: SpatialInertia) -> BodyMoments:
    """Return a link's own mass and moments about its origin."""
    second: Matrix = second_moments(inertia.about_origin).tolist()
    return BodyMoments(inertia.mass, inertia.first_moment.tolist(), second, ZERO, [ZERO] * 3, NOTHING)


def _symmetric_sum(r: Vector, before: Vector, after: Vector) -> Matrix:
    """Return r before' + after r', which is symmetric where after = before + mass r."""
    upper: dict[tuple[int, int], Number] = {}
    for i in range(3):
        for j in range(i, 3):
            upper[i, j] = r[i] * before[j] + after[i] * r[j]
    return [[upper[min(i, j), max(i, j)] for j in range(3)] for i in range(3)]
