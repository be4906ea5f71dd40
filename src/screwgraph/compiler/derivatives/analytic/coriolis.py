"""What Coriolis' acceleration takes of bodies whose particles move."""

from __future__ import annotations

from dataclasses import dataclass

from screwgraph.compiler.derivatives.analytic.sparse_vectors import (
    Matrix,
    Pair,
    Vector,
    add,
    cross,
    multiply_vector,
    trace_minus,
    transpose,
)


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
