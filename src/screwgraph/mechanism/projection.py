"""States of a mechanism put back onto its constraints."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import Function
from screwgraph.errors import InputError
from screwgraph.mechanism.closing import size_of
from screwgraph.mechanism.code import compiled_code
from screwgraph.mechanism.elimination import solve_symmetric
from screwgraph.mechanism.equations import Equations
from screwgraph.mechanism.mechanism import Mechanism

TOLERANCE = 1e-12
"""Way (m, rad) back to the constraints, relative to the size of a mechanism, that is not gone."""
STEPS = 20


@dataclass(frozen=True, eq=False)
class Projection:
    """The nearest states that the constraints allow; `function` tells the ways there, of positions and velocities."""

    function: Function
    n: int
    tolerance: float

    def projected(
        self, t: float, q: Float[np.ndarray, " n"], qd: Float[np.ndarray, " n"]
    ) -> tuple[Float[np.ndarray, " n"], Float[np.ndarray, " n"], float]:
        """Return the nearest position and velocity, and how far (m, rad) the position may still be off.

        Raises:
            InputError: the position is too far from one at which the mechanism closes.
        """
        n, way = self.n, np.inf
        for _ in range(STEPS):
            change = self.function(q, qd)
            way = float(np.abs(change[:n]).max())
            if not way > self.tolerance:  # NaN, too, ends the search; it is found and said where states are collected
                return q, qd + change[n:], way
            q = q + change[:n]
        raise InputError(
            f"at t = {t:g} s the mechanism comes apart by {way:.3g} and does not close again",
            why="a step led too far, or to a singular position",
            fix="take a smaller dt",
        )


def projection(mechanism: Mechanism) -> Projection:
    """Return the projection of a mechanism. Raises ModelError where it cannot be assembled."""
    kept, n = mechanism.mechanics.freedom.kept, mechanism.n

    def expression(q, qd):
        import casadi as ca

        e, rows = Equations(mechanism, q, qd), list(kept)
        J = e.jacobian[rows, :]
        right = ca.horzcat(e.residual[rows], J @ qd)
        ways = -(J.T @ solve_symmetric(ca.sparsify(J @ J.T), right, lambda i, left: True))
        return ca.vec(ways)

    function = compiled_code("projection", mechanism, [("q", n), ("qd", n)], expression, kept)
    return Projection(function, n, TOLERANCE * max(1.0, size_of(mechanism)))
