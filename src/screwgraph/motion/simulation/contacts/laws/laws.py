"""Laws of impulses in a step: of contacts, of joint stops, of dry friction; a new one is a class with these methods."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from screwgraph.spatial import choose, maximum, minimum, sqrt
from screwgraph.tape import Number

Numbers = Sequence[Number]
Matrix = Sequence[Numbers]
TINY = 1e-30
"""Square of an impulse (N s) that has no direction; also a number of single precision."""
SINGULAR = 1e-6
"""Least pivot of a block, relative to its diagonal."""
FAR = 1e30
"""Velocity (m/s) that is larger than any."""
FIXED = 1e-12
"""What velocities of joints that loops hold yield to impulses, at least (rad/s by N m s, m/s by N s)."""


class ImpulseLaw(Protocol):
    """Law of a block of impulses x (N s) and velocities w (m/s) of the same rows at the end of the step.

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

    @property
    def search_law(self) -> ImpulseLaw:
        """The same law with other velocities that are zero where it holds, by which searches from afar find it."""
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

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return the derivatives of `residual` by x and by w, of one side where there are two."""
        ...

    def guess(self, x: Numbers, b: Numbers, values: Numbers, yields: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return impulses where rows are not active, which rows are active (1, else 0), and the velocities they hold.

        x are those of the step before, b the velocities without impulses, `yields` about the diagonal of G.
        """
        ...

    def deviation(self, x: Numbers, w: Numbers, values: Numbers, active: Numbers, yields: Numbers) -> Number:
        """Return the velocity (m/s) by which impulses that follow a guess do not obey the law; `FAR` if by far."""
        ...


@dataclass(frozen=True)
class Cone:
    """Signorini's and Coulomb's laws of a contact: x = (normal, two tangents), values = (mu,).

    0 <= x_n, w_n >= 0, one of both zero; tangential impulses are in the disc of radius mu x_n, and where the contact
    slips, at its edge, against the velocity. A block that sticks or opens is solved exactly. Where it slips, tangents
    are projected onto the disc (Jourdan, Alart & Jean, 1998), and with their direction d the normal impulse follows
    exactly: w_n = 0 for x = x_n (1, mu d).
    """

    rows = 3
    values = 1
    prepared = 16

    @property
    def search_law(self) -> ImpulseLaw:
        """The law whose disc is that of the normal impulse after its projection."""
        return SearchedCone()

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the block's inverse (six numbers), 1 / G_nn, 1 / the larger eigenvalue of G_tt, and the block (six).

        Then follow G_nn and the eigenvalue themselves, of their least size, so that nothing divides by the inverses.
        Pivots have a least size: an arm in a plane does not move across it, and impulses there are left as they are.
        """
        # G = [[a, b, c], [b, d, e], [c, e, f]] = L D L'; L is unit lower triangular, with p, q, r below its diagonal.
        a, b, c, d, e, f = G[0][0], G[1][0], G[2][0], G[1][1], G[2][1], G[2][2]
        trace = a + d + f
        least = choose(trace > 0.0, SINGULAR * SINGULAR * trace, 1.0)
        stiffest = maximum(a, least)
        first = 1.0 / stiffest
        p, q = b * first, c * first
        cross = e - p * c
        second = 1.0 / maximum(d - p * b, maximum(SINGULAR * d, least))
        r = cross * second
        third = 1.0 / maximum(f - q * c - r * cross, maximum(SINGULAR * f, least))
        # The inverse is L^-T D^-1 L^-1; L^-1 has the rows (1), (-p, 1), (q, -r, 1), with q from here on.
        q = p * r - q
        inverse = (first + p * p * second + q * q * third, -(p * second) - q * r * third, q * third)
        inverse = (*inverse, second + r * r * third, -(r * third), third)
        # The larger eigenvalue of [[d, e], [e, f]].
        half = 0.5 * (d - f)
        largest = maximum(0.5 * (d + f) + sqrt(half * half + e * e), least)
        return [*inverse, first, 1.0 / largest, a, b, c, d, e, f, stiffest, largest]

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that sticks, where that is in the cone, else one that slips."""
        (mu,), (p, q, r, s, t, u) = values, prepared[:6]
        # x - G^-1 w makes the whole velocity of the block zero: the contact sticks.
        n = x[0] - (p * w[0] + q * w[1] + r * w[2])
        a = x[1] - (q * w[0] + s * w[1] + t * w[2])
        b = x[2] - (r * w[0] + t * w[1] + u * w[2])
        edge = mu * n
        sticks = choose(n > 0.0, choose(a * a + b * b <= edge * edge, 1.0, 0.0), 0.0)
        slides = self._slide(x, w, mu, prepared)
        return [choose(sticks > 0.5, y, z) for y, z in zip((n, a, b), slides, strict=True)]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return how far projections move the impulse, as velocities."""
        (mu,), (normal, tangent), (g_n, g_t) = values, prepared[6:8], prepared[14:]
        n = maximum(x[0] - normal * w[0], 0.0)
        a, b = _clip_to_disc(x[1] - tangent * w[1], x[2] - tangent * w[2], mu * x[0])
        return [(x[0] - n) * g_n, (x[1] - a) * g_t, (x[2] - b) * g_t]

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return those of a normal that presses or is open, of tangents that stick or slip."""
        (mu,), (normal, tangent), (g_n, stiff) = values, prepared[6:8], prepared[14:]
        presses = choose(x[0] - normal * w[0] > 0.0, 1.0, 0.0)
        a, b, radius = x[1] - tangent * w[1], x[2] - tangent * w[2], mu * x[0]
        square = a * a + b * b
        slips = choose(square > radius * radius, 1.0, 0.0)
        # Projection onto a disc of radius r has the Jacobian r / |p| (1 - d d'), with d = p / |p|, outside; 1 inside.
        size = 1.0 / sqrt(maximum(square, TINY))
        a, b, share = a * size, b * size, radius * size
        sticks = 1.0 - slips
        inside = sticks + slips * share
        aa, ab, bb = inside - slips * share * a * a, -(slips * share * a * b), inside - slips * share * b * b
        push = -(slips * mu * stiff)
        by_x = [
            [(1.0 - presses) * g_n, 0.0, 0.0],
            [push * a, stiff * (1.0 - aa), -(stiff * ab)],
            [push * b, -(stiff * ab), stiff * (1.0 - bb)],
        ]
        return by_x, [[presses, 0.0, 0.0], [0.0, aa, ab], [0.0, ab, bb]]

    def guess(self, x: Numbers, b: Numbers, values: Numbers, yields: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return all rows of a contact that pressed, or that would enter the ground, as of one that sticks.

        Without friction only the normal's.
        """
        presses = choose(x[0] > 0.0, 1.0, choose(b[0] < 0.0, 1.0, 0.0))
        return [0.0] * 3, [presses, *[choose(values[0] > 0.0, presses, 0.0)] * 2], [0.0] * 3

    def deviation(self, x: Numbers, w: Numbers, values: Numbers, active: Numbers, yields: Numbers) -> Number:
        """Return what is left of velocities that are held, or how fast a contact pulls, or enters where it is open."""
        (mu,), (presses, rubs, _) = values, active
        held = maximum(abs(w[0]), rubs * maximum(abs(w[1]), abs(w[2])))
        held = maximum(held, -(x[0] * yields[0]))
        edge = mu * x[0]
        held = choose(x[1] * x[1] + x[2] * x[2] > edge * edge, FAR, held)
        return choose(presses > 0.5, held, maximum(-w[0], 0.0))

    def _slide(self, x: Numbers, w: Numbers, mu: Number, prepared: Numbers) -> list[Number]:
        """Return an impulse at the edge of the cone, its normal part exact for the direction; else a projection."""
        normal, tangent, g_nn, g_an, g_bn, g_aa, g_ab, g_bb = prepared[6:14]
        n = maximum(x[0] - normal * w[0], 0.0)
        a, b = _clip_to_disc(x[1] - tangent * w[1], x[2] - tangent * w[2], mu * n)
        size = mu / sqrt(maximum(a * a + b * b, TINY))
        a_1, b_1 = size * a, size * b  # tangents for a normal impulse of 1
        # w_n = free + slope x_n for impulses x_n (1, mu d), so x_n = -free / slope where friction does not wedge.
        free = w[0] - (g_nn * x[0] + g_an * x[1] + g_bn * x[2])
        slope = g_nn + g_an * a_1 + g_bn * b_1
        wedges = slope <= STEEP * g_nn
        n_1 = maximum(-free / choose(wedges, g_nn, slope), 0.0)
        a_1, b_1 = n_1 * a_1, n_1 * b_1
        more_n, more_a, more_b = n_1 - x[0], a_1 - x[1], b_1 - x[2]
        # One more step of projection, at the velocity that this normal impulse leads to.
        a_1 = a_1 - tangent * (w[1] + g_an * more_n + g_aa * more_a + g_ab * more_b)
        b_1 = b_1 - tangent * (w[2] + g_bn * more_n + g_ab * more_a + g_bb * more_b)
        edge = mu * n_1
        sticks = choose(a_1 * a_1 + b_1 * b_1 < edge * edge, 1.0, 0.0)
        is_exact = choose(wedges, 0.0, 1.0 - sticks) > 0.5
        found = (n_1, *_clip_to_disc(a_1, b_1, edge))
        return [choose(is_exact, y, z) for y, z in zip(found, (n, a, b), strict=True)]


@dataclass(frozen=True)
class SearchedCone(Cone):
    """The law of a contact whose tangential impulses are in the disc of what the normal velocity asks for.

    Its |F| has fewer least values that are no zero, and its slopes more numbers. Alart & Curnier (1991), "A mixed
    formulation for frictional contact problems prone to Newton like solution methods".
    """

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return how far projections move the impulse, as velocities."""
        pressed = maximum(x[0] - prepared[6] * w[0], 0.0)
        _, a, b = super().residual([pressed, *x[1:]], w, values, prepared)
        return [(x[0] - pressed) * prepared[14], a, b]

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return those of a normal that presses or is open, of tangents that stick or slip."""
        normal, g_n = prepared[6], prepared[14]
        pressed = maximum(x[0] - normal * w[0], 0.0)
        presses = choose(pressed > 0.0, 1.0, 0.0)
        (_, *by_x), (_, *by_w) = super().slopes([pressed, *x[1:]], w, values, prepared)
        first = [(1.0 - presses) * g_n, 0.0, 0.0], [presses, 0.0, 0.0]
        moved = [[presses * row[0], *row[1:]] for row in by_x]
        pulled = [[-(normal * own[0]), *row[1:]] for own, row in zip(moved, by_w, strict=True)]
        return [first[0], *moved], [first[1], *pulled]


STEEP = 1e-3
"""Part of G_nn that is left, where friction slips, of what a normal impulse changes of its velocity; else it wedges."""


def _invert_row(G: Sequence[Numbers]) -> list[Number]:
    yielding = maximum(G[0][0], FIXED)
    return [1.0 / yielding, yielding]


def _clip_to_disc(a: Number, b: Number, radius: Number) -> tuple[Number, Number]:
    square = a * a + b * b
    share = choose(square > radius * radius, radius / sqrt(maximum(square, TINY)), 1.0)
    return share * a, share * b


@dataclass(frozen=True)
class Range:
    """values = (lower, upper): w is between them; x >= 0 where w is lower, x <= 0 where it is upper, else 0: stops."""

    rows = 1
    values = 2
    prepared = 2

    @property
    def search_law(self) -> ImpulseLaw:
        """The law itself."""
        return self

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the inverse, and what it is of."""
        return _invert_row(G)

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that brings the velocity into the range."""
        below, above = (x[0] + prepared[0] * (bound - w[0]) for bound in values)
        return [maximum(below, 0.0) + minimum(above, 0.0)]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return what is left of the velocity."""
        return [(x[0] - self.solve(x, w, values, prepared)[0]) * prepared[1]]

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return those of a joint at a bound, or between them."""
        below, above = (x[0] + prepared[0] * (bound - w[0]) for bound in values)
        stops = maximum(choose(below > 0.0, 1.0, 0.0), choose(above < 0.0, 1.0, 0.0))
        return [[(1.0 - stops) * prepared[1]]], [[stops]]

    def deviation(self, x: Numbers, w: Numbers, values: Numbers, active: Numbers, yields: Numbers) -> Number:
        """Return what is left of the velocity."""
        return abs(self.residual(x, w, values, _invert_row([yields]))[0])

    def guess(self, x: Numbers, b: Numbers, values: Numbers, yields: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the row of a joint that leaves its range."""
        (lower, upper), (rate,) = values, b
        bound = maximum(minimum(rate, upper), lower)
        stops = choose(rate < lower, 1.0, choose(rate > upper, 1.0, 0.0))
        return [0.0], [stops], [choose(stops > 0.5, bound, 0.0)]


@dataclass(frozen=True)
class DryFriction:
    """|x| <= values[0], at its bound against the velocity where that is not zero: a joint's Coulomb friction."""

    rows = 1
    values = 1
    prepared = 2

    @property
    def search_law(self) -> ImpulseLaw:
        """The law itself."""
        return self

    def prepare(self, G: Sequence[Numbers]) -> list[Number]:
        """Return the inverse, and what it is of."""
        return _invert_row(G)

    def solve(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return the impulse that sticks, cut to the bound."""
        return [maximum(minimum(x[0] - prepared[0] * w[0], values[0]), -values[0])]

    def residual(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> list[Number]:
        """Return what is left of the velocity."""
        return [(x[0] - self.solve(x, w, values, prepared)[0]) * prepared[1]]

    def slopes(self, x: Numbers, w: Numbers, values: Numbers, prepared: Numbers) -> tuple[Matrix, Matrix]:
        """Return those of a joint that sticks, or slips."""
        sticks = choose(abs(x[0] - prepared[0] * w[0]) < values[0], 1.0, 0.0)
        return [[(1.0 - sticks) * prepared[1]]], [[sticks]]

    def deviation(self, x: Numbers, w: Numbers, values: Numbers, active: Numbers, yields: Numbers) -> Number:
        """Return what is left of the velocity."""
        return abs(self.residual(x, w, values, _invert_row([yields]))[0])

    def guess(self, x: Numbers, b: Numbers, values: Numbers, yields: Numbers) -> tuple[Numbers, Numbers, Numbers]:
        """Return the row of a joint that its friction alone would stop; of others the bound."""
        (bound,), alone = values, -(_invert_row([yields])[0] * b[0])
        sticks = choose(abs(alone) < bound, 1.0, 0.0)
        return [choose(sticks > 0.5, 0.0, maximum(minimum(alone, bound), -bound))], [sticks], [0.0]
