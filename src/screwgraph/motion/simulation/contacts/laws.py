"""Laws of impulses in a step: of contacts, of joint stops, of dry friction; a new one is a class with these methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from screwgraph.spatial import choose, maximum, minimum, sqrt
from screwgraph.tape import Number

Numbers = Sequence[Number]
TINY = 1e-300
"""Square of a length that is none."""


class ImpulseLaw(Protocol):
    """What a block of impulses x (N s) obeys beside the velocities w of the same rows at the end of the step (m/s).

    `values` are those of its numbers at this step.
    """

    @property
    def rows(self) -> int:
        """How many impulses it has."""
        ...

    @property
    def values(self) -> int:
        """How many numbers it depends on."""
        ...

    @property
    def prepared(self) -> int:
        """How many numbers `prepare` returns."""
        ...

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return what the other methods need of the block's own rows of the Delassus matrix, its lower triangle."""
        ...

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulses while all others are held: those that the law asks for, or nearer to them."""
        ...

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return velocities (m/s) that are zero where the law holds."""
        ...


@dataclass(frozen=True)
class Cone:
    """Signorini's and Coulomb's laws of a contact: x = (normal, two tangents), values = (mu,).

    0 <= x_n, w_n >= 0, one of both zero; tangential impulses are in the disc of radius mu x_n, and where the contact
    slips, at its edge, against the velocity. A block that sticks or opens is solved exactly; where it slips, the normal
    by its own row, the tangents by a projection onto the disc: Jourdan, Alart & Jean (1998).
    """

    rows = 3
    values = 1
    prepared = 8

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the block's inverse (six numbers), 1 / G_nn, and 1 / the larger eigenvalue of the tangents' block."""
        a, b, c, d, e, f = G[0][0], G[1][0], G[2][0], G[1][1], G[2][1], G[2][2]
        A, B, C = d * f - e * e, c * e - b * f, b * e - c * d
        scale = 1.0 / (a * A + b * B + c * C)
        half = 0.5 * (d - f)
        largest = 0.5 * (d + f) + sqrt(half * half + e * e)
        adjoint = (A, B, C, a * f - c * c, b * c - a * e, a * d - b * b)
        return [*(x * scale for x in adjoint), 1.0 / a, 1.0 / largest]

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that sticks, where that is in the cone, else a projection."""
        (mu,), (p, q, r, s, t, u, _, _) = values, prepared
        n = x[0] - (p * w[0] + q * w[1] + r * w[2])
        a = x[1] - (q * w[0] + s * w[1] + t * w[2])
        b = x[2] - (r * w[0] + t * w[1] + u * w[2])
        edge = mu * n
        sticks = choose(n > 0.0, choose(a * a + b * b <= edge * edge, 1.0, 0.0), 0.0)
        slides = self._project(x, w, values, prepared)
        return [choose(sticks > 0.5, y, z) for y, z in zip((n, a, b), slides, strict=True)]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return how far a projection moves the impulse, as velocities."""
        n, a, b = self._project(x, w, values, prepared, x[0])
        normal, tangent = prepared[6:]
        return [(x[0] - n) / normal, (x[1] - a) / tangent, (x[2] - b) / tangent]

    def _project(
        self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers, normal: Number | None = None
    ) -> list[Number]:
        n = maximum(x[0] - prepared[6] * w[0], 0.0)
        a, b = x[1] - prepared[7] * w[1], x[2] - prepared[7] * w[2]
        edge, square = values[0] * (n if normal is None else normal), a * a + b * b
        share = choose(square > edge * edge, edge / sqrt(maximum(square, TINY)), 1.0)
        return [n, share * a, share * b]


@dataclass(frozen=True)
class Range:
    """values = (lower, upper): w is between them; x >= 0 where w is lower, x <= 0 where it is upper, else 0: stops."""

    rows = 1
    values = 2
    prepared = 1

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the inverse."""
        return [1.0 / G[0][0]]

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that brings the velocity into the range."""
        below, above = (x[0] + prepared[0] * (bound - w[0]) for bound in values)
        return [maximum(below, 0.0) + minimum(above, 0.0)]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return what is left of the velocity."""
        return [(x[0] - self.solve(x, w, values, prepared)[0]) / prepared[0]]


@dataclass(frozen=True)
class DryFriction:
    """|x| <= values[0], at its bound against the velocity where that is not zero: a joint's Coulomb friction."""

    rows = 1
    values = 1
    prepared = 1

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the inverse."""
        return [1.0 / G[0][0]]

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that sticks, cut to the bound."""
        return [maximum(minimum(x[0] - prepared[0] * w[0], values[0]), -values[0])]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return what is left of the velocity."""
        return [(x[0] - self.solve(x, w, values, prepared)[0]) / prepared[0]]
