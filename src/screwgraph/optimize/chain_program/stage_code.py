"""What an interior point computes at a stage of a chain: straight-line code, on numbers of a memory.

Vectors are described in `chain_program.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import count
from typing import Any

from screwgraph.optimize.active_set.active_rows import ENDLESS, factor_positive, flag, solve_lower, solve_upper
from screwgraph.optimize.chain_program.bounds import LEAST, Barrier, Bound, limit, list_barriers
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number, dot

Pattern = Sequence[Sequence[float | None]]
"""Rows of a matrix: constants, None for entries that are known when it runs."""
BEHIND = 0.995
"""Part of the way to a boundary that is gone."""
SHORT, MORE, LESS = 0.5, 8.0, 0.3
"""The barrier grows after a step below that, by that, else it shrinks."""
LEAST_BARRIER, MOST_BARRIER = 1e-11, 1e2


@dataclass(frozen=True)
class StageCode:
    """Expressions of a stage of nx states and nu inputs; rows of P and V, of x and a gradient, are `pitch` long."""

    nx: int
    nu: int
    J: Pattern
    H: Pattern
    integrated: Sequence[tuple[int, int]]
    inputs: Sequence[Bound]
    states: Sequence[Bound]
    pitch: int

    @property
    def bounds(self) -> list[tuple[int, Bound]]:
        """Bounds, and the place of their unknown in w = (u, x')."""
        shifted = [(self.nu + bound.index, bound) for bound in self.states]
        return [*((bound.index, bound) for bound in self.inputs), *shifted]

    def barriers(self, bound: Any, numbers: Any, mu: Any, penalty: Any) -> list[tuple[int, Barrier]]:
        """Return the bounds of w with their numbers."""
        own = list_barriers([b for _, b in self.bounds], bound, numbers, mu[0], penalty)
        return [(i, barrier) for (i, _), barrier in zip(self.bounds, own, strict=True)]

    def begin(self, u: Any, x: Any, bound: Any, numbers: Any, warm: Any, mu: Any, penalty: Any) -> list[Number]:
        """Return u, x' without what is no number, inputs within bounds; numbers, the last ones or fresh ones; zeros."""
        w, found = self._clip([choose(abs(v) < ENDLESS, v, 0.0) for v in [*u, *x]], bound), list[Number]()
        for i, barrier in self.barriers(bound, numbers, mu, penalty):
            fresh = barrier.begin(w[i])
            last = [choose(abs(x) < ENDLESS, limit(x), f) for x, f in zip(barrier.numbers, fresh, strict=True)]
            found += [choose(warm[0] > 0.5, x, f) for x, f in zip(last, fresh, strict=True)]
        return [*w, *found, *[0.0] * self.nu]

    def condense(self, u: Any, x: Any, before: Any, bound: Any, numbers: Any, mu: Any, penalty: Any) -> list[Number]:
        """Return what bounds add to the Hessian of (u, x') and to the gradient, and x."""
        D, d = ([0.0] * (self.nu + self.nx) for _ in range(2))
        w = [*u, *x]
        for i, barrier in self.barriers(bound, numbers, mu, penalty):
            own, b = barrier.law(w[i])
            D[i] = D[i] + own
            d[i] = d[i] - barrier.bound.sign * b
        return [*D, *d, *before]

    def factor(self, *vectors: Any) -> list[Number]:
        """Return P, L, 1 / diagonal, V, gap, of J, c, h, H, g, bound, u, du, D, d, before, numbers, x', P+.

        The cost to go, and du = -L'^-1 V (dx, 1), dx' = T (J dz + gap).
        """
        live, c, h, H, g, _, u, _, D, d, before, _, x, P = vectors
        nx, nu, J = self.nx, self.nu, self.fill(self.J, live)
        z, own = [*before, *u], self.fill_triangle(H)
        gap = self.find_gap(J, c, h[0], z, x)
        W, w = self.turn(P, h[0], D[nu:], d[nu:])
        slopes = [a + b for a, b in zip(g, self.multiply(own, z), strict=True)]
        columns = list(zip(*J, strict=True))
        WJ = [[dot(row, column) for column in columns] for row in W]
        right, pull = list(zip(*WJ, strict=True)), [dot(row, gap) + b for row, b in zip(W, w, strict=True)]
        M = [[own[i][j] + dot(columns[i], right[j]) for j in range(i + 1)] for i in range(nx + nu)]
        m = [a + dot(column, pull) for a, column in zip(slopes, columns, strict=True)]
        S = [[M[nx + i][nx + j] + (D[i] if i == j else 0.0) for j in range(i + 1)] for i in range(nu)]
        L, inverse = factor_positive(S)
        V = [solve_lower(L, inverse, [M[nx + i][j] for i in range(nu)]) for j in range(nx)]  # columns
        V.append(solve_lower(L, inverse, [a + b for a, b in zip(m[nx:], d[:nu], strict=True)]))
        cost = [[M[max(i, j)][min(i, j)] - dot(V[max(i, j)], V[min(i, j)]) for j in range(nx)] for i in range(nx)]
        rows = [[*row, m[i] - dot(V[i], V[nx])] for i, row in enumerate(cost)]
        numbers = [*(x for row in L for x in row), *inverse, *self._in_rows(zip(*V, strict=True))]
        return [*self._in_rows(rows), *numbers, *gap]

    def roll(self, L: Any, inverse: Any, V: Any, gap: Any, x: Any, J: Any, c: Any, h: Any) -> list[Number]:
        """Return Newton's steps of u and x', for that of x."""
        nx, J = self.nx, self.fill(self.J, J)
        rows = [V[self.pitch * i : self.pitch * i + nx + 1] for i in range(self.nu)]
        u = solve_upper(self._triangle(L), inverse, [-dot(row[:nx], x) - row[nx] for row in rows])
        return [*u, *self.follow(J, gap, h[0], [*x, *u])]

    def follow(self, J: Any, c: Any, h: Number, z: Sequence[Number]) -> list[Number]:
        """Return x' = T (J z + c)."""
        found = [dot(row, z) + b for row, b in zip(J, c, strict=True)]
        first = list(found)
        for i, j in self.integrated:
            found[i] = found[i] + h * first[j]
        return found

    def measure(
        self, u: Any, x: Any, du: Any, dx: Any, bound: Any, numbers: Any, mu: Any, penalty: Any, ratios: Any
    ) -> list[Number]:
        """Return the largest parts of t, e and of y, z that Newton's step takes, and the sum of all sizes."""
        (primal, dual, size), w, dw = ratios, [*u, *x], [*du, *dx]
        for i, barrier in self.barriers(bound, numbers, mu, penalty):
            for k, (now, change) in enumerate(zip(barrier.numbers, barrier.solve(w[i], dw[i]), strict=True)):
                part = -change / now
                primal, dual = (maximum(primal, part), dual) if k % 2 == 0 else (primal, maximum(dual, part))
        return [primal, dual, size + sum((abs(x) for x in dw), start=0.0)]

    def step(self, ratios: Any, mu: Any) -> list[Number]:
        """Return the steps of t, e and of y, z, and the next barrier; no steps where there are no numbers."""
        primal, dual, size = ratios
        is_sound = flag(size < ENDLESS)
        a, b = (choose(is_sound, minimum(1.0, BEHIND / maximum(x, LEAST)), 0.0) for x in (primal, dual))
        following = mu[0] * choose(minimum(a, b) < SHORT, MORE, LESS)
        return [a, b, minimum(maximum(following, LEAST_BARRIER), MOST_BARRIER)]

    def update(
        self, u: Any, x: Any, du: Any, dx: Any, bound: Any, numbers: Any, mu: Any, penalty: Any, steps: Any
    ) -> list[Number]:
        """Return u, x' and the numbers after a step."""
        (primal, dual, _), w, dw = steps, [*u, *x], [*du, *dx]

        def move(now: Number, change: Number, step: Number) -> Number:
            return choose(step > 0.0, now + step * change, now)

        found = [move(a, b, primal) for a, b in zip(w, dw, strict=True)]
        for i, barrier in self.barriers(bound, numbers, mu, penalty):
            found += [
                limit(move(a, b, dual if k % 2 else primal))
                for k, (a, b) in enumerate(zip(barrier.numbers, barrier.solve(w[i], dw[i]), strict=True))
            ]
        return found

    def end(self, Q: Any, q: Any, x: Any) -> list[Number]:
        """Return P of the terminal cost."""
        rows = [Q[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for i in range(self.nx) for j in range(self.nx)]
        slopes = self.slope(Q, q, x)
        return self._in_rows([*rows[i * self.nx : i * self.nx + self.nx], slopes[i]] for i in range(self.nx))

    def slope(self, Q: Any, q: Any, x: Any) -> list[Number]:
        """Return the slope of the terminal cost."""
        rows = [list(Q[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2]) for i in range(self.nx)]
        return [a + b for a, b in zip(self.multiply(rows, x), q, strict=True)]

    def judge(
        self,
        before: Any,
        u: Any,
        x: Any,
        numbers: Any,
        J: Any,
        c: Any,
        h: Any,
        H: Any,
        g: Any,
        bound: Any,
        adjoint: Any,
        worst: Any,
    ) -> list[Number]:
        """Return the adjoint of x, and the largest stationarity, equality, complementarity and violation so far.

        `adjoint` is that of x' without its bounds, so that stationarity of states holds.
        """
        nx, nu, J = self.nx, self.nu, self.fill(self.J, J)
        z, w, pushes = [*before, *u], [*u, *x], [0.0] * (nu + nx)
        stationarity, equality, complementarity, violation = worst
        for i, barrier in self.barriers(bound, numbers, [0.0], [0.0] * 2 * len(self.states)):
            pushes[i] = pushes[i] - barrier.bound.sign * barrier.numbers[1]
            violation = maximum(violation, -barrier.distance(w[i]))
            pairs = zip(barrier.numbers[::2], barrier.numbers[1::2], strict=True)
            for t, y in pairs:
                complementarity = maximum(complementarity, t * y)
        for a, b in zip(self.follow(J, c, h[0], z), x, strict=True):
            equality = maximum(equality, abs(a - b))
        felt = [a + b for a, b in zip(adjoint, pushes[nu:], strict=True)]
        first = list(felt)
        for i, j in self.integrated:
            felt[j] = felt[j] + h[0] * first[i]
        curved = self.multiply(self.fill_triangle(H), z)
        slopes = [a + b + dot(column, felt) for a, b, column in zip(curved, g, zip(*J, strict=True), strict=True)]
        for slope, push in zip(slopes[nx:], pushes[:nu], strict=True):
            stationarity = maximum(stationarity, abs(slope + push))
        return [*slopes[:nx], stationarity, equality, complementarity, violation]

    def clip(self, u: Any, bound: Any) -> list[Number]:
        """Return inputs within their bounds."""
        return self._clip(list(u), bound)

    def gain(self, L: Any, inverse: Any, V: Any) -> list[Number]:
        """Return K of u = K x + k by rows."""
        columns = [[-V[self.pitch * i + j] for i in range(self.nu)] for j in range(self.nx)]
        solved = [solve_upper(self._triangle(L), inverse, column) for column in columns]
        return [choose(abs(x) < ENDLESS, x, 0.0) for row in zip(*solved, strict=True) for x in row]

    def fill(self, pattern: Pattern, live: Any) -> list[list[Any]]:
        """Return a matrix of constants and live entries."""
        place = count()
        return [[live[next(place)] if entry is None else entry for entry in row] for row in pattern]

    def fill_triangle(self, live: Any) -> list[list[Any]]:
        """Return the lower triangle of H."""
        return self.fill([row[: i + 1] for i, row in enumerate(self.H)], live)

    def turn(self, P: Any, h: Number, D: Any, d: Any) -> tuple[list[list[Number]], list[Number]]:
        """Return T' (P + D) T and T' (p + d)."""
        nx = self.nx
        at = [[P[max(i, j) * self.pitch + min(i, j)] for j in range(nx)] for i in range(nx)]
        W = [[at[i][j] + (D[i] if i == j else 0.0) for j in range(nx)] for i in range(nx)]
        w = [P[i * self.pitch + nx] + d[i] for i in range(nx)]
        rows, slopes = list(W), list(w)
        for i, j in self.integrated:  # T' W: row j gains h times row i
            rows[j] = [a + h * b for a, b in zip(rows[j], W[i], strict=True)]
            slopes[j] = slopes[j] + h * w[i]
        turned = [list(row) for row in rows]
        for i, j in self.integrated:
            for row, source in zip(turned, rows, strict=True):
                row[j] = row[j] + h * source[i]
        for i in range(nx):  # one of both triangles, so that the other costs nothing
            for j in range(i):
                turned[j][i] = turned[i][j]
        return turned, slopes

    def find_gap(self, J: Any, c: Any, h: Number, z: Sequence[Number], x: Any) -> list[Number]:
        """Return J z + c - T^-1 x'."""
        gap = [dot(row, z) + b - v for row, b, v in zip(J, c, x, strict=True)]
        for i, j in self.integrated:
            gap[i] = gap[i] + h * x[j]
        return gap

    @staticmethod
    def is_present(pattern: Pattern, i: int, j: int) -> bool:
        """Return whether a pattern has an entry that is not zero for certain."""
        return pattern[i][j] is None or pattern[i][j] != 0.0

    def _in_rows(self, rows: Iterable[Sequence[Number]]) -> list[Number]:
        """Return rows one after the other, with zeros up to the pitch."""
        return [x for row in rows for x in (*row, *[0.0] * (self.pitch - self.nx - 1))]

    def multiply(self, rows: Sequence[Sequence[Any]], z: Sequence[Number]) -> list[Number]:
        """Return the product of a symmetric matrix, the rows of its lower triangle, and a vector."""
        n = len(rows)
        return [dot([rows[max(i, j)][min(i, j)] for j in range(n)], z) for i in range(n)]

    def _clip(self, u: list[Number], bound: Any) -> list[Number]:
        for own, value in zip(self.inputs, bound, strict=False):
            u[own.index] = (maximum if own.lower else minimum)(u[own.index], value)
        return u

    def _triangle(self, L: Any) -> list[Any]:
        return [L[i * (i - 1) // 2 : i * (i + 1) // 2] for i in range(self.nu)]
