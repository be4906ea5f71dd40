"""Planar mechanisms as IPOPT has them: the place and the turn of each bar, forces by derivatives of energies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import casadi
import numpy as np
from tests.motion.control.predictive.scenes import Instant

Place = tuple[int, np.ndarray]
"""A bar, -1 of the world, and a point (2,) in its frame, which begins at its first point, x along it."""
GRAVITY = 9.81


@dataclass(frozen=True, eq=False)
class PlanarBars:
    """Bars (mass, inertia about the centre of mass, centre of mass), and what joins them.

    `pins` hold two places together, `guides` a place on a line (point, normal); `gears` (a, b, ratio, offset) tie
    angles, and `angles` (bar, bar from which it counts or -1) are states, of which `driven` have motors. Springs
    (place, place, stiffness, rest) and dampers (place, place, damping) join places.
    """

    bars: Sequence[tuple[float, float, np.ndarray]]
    pins: Sequence[tuple[Place, Place]]
    angles: Sequence[tuple[int, int]]
    driven: Sequence[int]
    guides: Sequence[tuple[Place, np.ndarray, np.ndarray]] = ()
    gears: Sequence[tuple[tuple[int, int], tuple[int, int], float, float]] = ()
    springs: Sequence[tuple[Place, Place, float, float]] = ()
    dampers: Sequence[tuple[Place, Place, float]] = ()

    @property
    def nq(self) -> int:
        return len(self.angles)

    @property
    def nv(self) -> int:
        return self.nq

    @property
    def inputs(self) -> int:
        return len(self.driven)

    @property
    def places(self) -> list[int]:
        return list(range(self.nq))

    @property
    def size(self) -> int:
        """Coordinates: x, y and the turn of each bar."""
        return 3 * len(self.bars)

    @property
    def closing(self) -> int:
        return 2 * self.size

    @property
    def unknown(self) -> int:
        return self.size + 2 * len(self.pins) + len(self.guides) + len(self.gears)

    def advance(self, z, d):
        return z + d

    def difference(self, start, end):
        return end - start

    def locate(self, Q: Any, place: Place) -> Any:
        """Return a place in the world."""
        bar, at = place
        if bar < 0:
            return casadi.SX(at)
        x, y, turn = (Q[3 * bar + i] for i in range(3))
        c, s = casadi.cos(turn), casadi.sin(turn)
        return casadi.vertcat(x + c * at[0] - s * at[1], y + s * at[0] + c * at[1])

    def measure(self, Q: Any, angle: tuple[int, int]) -> Any:
        """Return the angle of a bar, from another or from the x axis."""
        bar, base = angle
        return Q[3 * bar + 2] - (Q[3 * base + 2] if base >= 0 else 0.0)

    def _constraints(self, Q):
        rows = [self.locate(Q, a) - self.locate(Q, b) for a, b in self.pins]
        rows += [casadi.dot(normal, self.locate(Q, place) - at) for place, at, normal in self.guides]
        rows += [self.measure(Q, a) - ratio * self.measure(Q, b) - offset for a, b, ratio, offset in self.gears]
        return casadi.vertcat(*rows)

    @cached_property
    def _motion(self) -> casadi.Function:
        """Constraints and states of coordinates with their rates, and equations of motion of these."""
        Q, V, A = (casadi.SX.sym(name, self.size) for name in "QVA")
        c, y = self._constraints(Q), casadi.vertcat(*(self.measure(Q, angle) for angle in self.angles))
        push, u = casadi.SX.sym("push", c.numel()), casadi.SX.sym("u", len(self.driven))
        potential, loss, kinetic = 0.0, 0.0, 0.0
        for i, (mass, inertia, com) in enumerate(self.bars):
            x = self.locate(Q, (i, com))
            speed = casadi.jtimes(x, Q, V)
            kinetic += 0.5 * mass * casadi.dot(speed, speed) + 0.5 * inertia * V[3 * i + 2] ** 2
            potential += GRAVITY * mass * x[1]
        for a, b, stiffness, rest in self.springs:
            way = self.locate(Q, b) - self.locate(Q, a)
            potential += 0.5 * stiffness * (casadi.norm_2(way) - rest) ** 2
        for a, b, damping in self.dampers:
            rate = casadi.jtimes(casadi.norm_2(self.locate(Q, b) - self.locate(Q, a)), Q, V)
            loss += 0.5 * damping * rate**2
        momentum = casadi.gradient(kinetic, V)
        rate = casadi.jtimes(momentum, Q, V) + casadi.jtimes(momentum, V, A)
        balance = rate - casadi.gradient(kinetic - potential, Q) + casadi.gradient(loss + 0.0 * V[0], V)
        balance -= casadi.jtimes(c, Q, push, True)
        if self.driven:
            balance -= casadi.jtimes(y[list(self.driven)], Q, u, True)
        rates = [casadi.jtimes(x, Q, V) for x in (c, y)]
        ends = [casadi.jtimes(x, Q, V) + casadi.jtimes(x, V, A) for x in rates]
        return casadi.Function("motion", [Q, V, A, push, u], [c, y, *rates, *ends, balance])

    def close(self, z, v, p):
        Q, V = p[: self.size], p[self.size :]
        none = [casadi.SX.zeros(n) for n in (self.size, self.unknown - self.size, self.inputs)]
        c, y, c_rate, y_rate, *_ = self._motion(Q, V, *none)
        return casadi.vertcat(c, y - z, c_rate, y_rate - v)

    def pose(self, part, z, p):
        x, y, turn = (p[3 * part + i] for i in range(3))
        c, s = casadi.cos(turn), casadi.sin(turn)
        rows = [casadi.horzcat(c, -s, 0.0), casadi.horzcat(s, c, 0.0), casadi.horzcat(0.0, 0.0, 1.0)]
        return casadi.vertcat(*rows), casadi.vertcat(x, y, 0.0)

    def instant(self, z, v, p, w, u, on, wanted, weights):
        Q, V, A = p[: self.size], p[self.size :], w[: self.size]
        *_, c, y, balance = self._motion(Q, V, A, w[self.size :], u)
        none = casadi.SX.zeros(0)
        return Instant(y, casadi.vertcat(balance, c), none, none, casadi.dot(weights, (u - wanted) ** 2))
