"""What an interior point computes at a stage of a chain: straight-line code, on numbers of a memory.

Vectors are described in `chain_program.py`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

from screwgraph.optimize.chain_program.bound_groups import BoundGroup, find_groups, move
from screwgraph.optimize.chain_program.bounds import LEAST, Barrier, Bound, limit
from screwgraph.optimize.chain_program.pattern import Pattern, add_multiple, fill, multiply_symmetric
from screwgraph.optimize.dense_factors import ENDLESS, factor_diagonal, flag, solve_unit_lower, solve_unit_upper
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Number, dot
from screwgraph.tape.sparse_rows import is_zero

BEHIND = 0.995
"""Part of the way to a boundary that is gone."""
SHORT, MORE, LESS = 0.5, 8.0, 0.3
"""The barrier grows after a step of unknowns below that, by that, else it shrinks.

A short step of multipliers alone says nothing about distances: a larger barrier would push them from where they are.
"""
LONG, LEAST_PART = 0.9, 0.1
"""After steps of both beyond that it shrinks to that: nothing stood in the way of what it asked for."""
LEAST_BARRIER, MOST_BARRIER = 1e-11, 1e2


@dataclass(frozen=True)
class StageCode:
    """Expressions of a stage of nx states and nu inputs; rows of P and V, of x and a gradient, are `pitch` long.

    Unknowns with bounds are w = (u, x', C z). Equalities F z = f are rows behind those of C. Newton's step regularises
    them: F dz + F z - f = dy / stiffness, y their multipliers (Friedlander and Orban, 2012, "A primal-dual regularized
    interior-point method for convex quadratic programs"), so that they are eliminated as rows of a cost are.
    """

    nx: int
    nu: int
    J: Pattern
    H: Pattern
    integrated: Sequence[tuple[int, int]]
    inputs: Sequence[Bound]
    states: Sequence[Bound]
    pitch: int
    C: Pattern = ()
    rows: Sequence[Bound] = ()
    F: Pattern = ()
    stiffness: float = 1.0
    scales_penalties: bool = False

    @cached_property
    def groups(self) -> list[BoundGroup]:
        """Bounds of w by groups."""
        return find_groups(self.inputs, self.states, self.nu, self.rows, self.nx)

    @property
    def unknowns(self) -> int:
        """How many unknowns w has."""
        return self.nu + self.nx + len(self.C)

    @cached_property
    def bounded_unknowns(self) -> frozenset[int]:
        """Unknowns of w with bounds."""
        return frozenset(group.first + i for group in self.groups for i in range(group.count))

    @cached_property
    def curved_unknowns(self) -> frozenset[int]:
        """Unknowns of (w, F z) to which bounds or equalities add a second derivative."""
        return self.bounded_unknowns | set(range(self.unknowns, self.unknowns + len(self.F)))

    @property
    def outputs(self) -> Pattern:
        """Rows of C, then of F."""
        return [*self.C, *self.F]

    def barriers(
        self, bound: Any, numbers: Any, mu: Any, penalty: Any, first: int = 0, end: int | None = None
    ) -> Iterator[tuple[BoundGroup, int, list[Barrier]]]:
        """Yield each unknown of w that has bounds, from one on: its group, its number there, its bounds.

        Penalties have their scale behind them, if there is one.
        """
        if self.scales_penalties:
            penalty = [x * penalty[-1] for x in penalty[:-1]]
        for group in self.groups:
            if not first <= group.first < (self.unknowns if end is None else end):
                continue
            for i in range(group.count):
                values, own, penalties = group.own(i, bound, numbers, penalty)
                yield group, i, group.barriers(values, own, mu[0], penalties)

    def begin(self, u: Any, x: Any, bound: Any, numbers: Any, warm: Any, mu: Any, penalty: Any) -> list[Number]:
        """Return u, x' without what is no number, inputs within bounds; numbers, the last ones or fresh ones."""
        w, found = self._clip([choose(abs(v) < ENDLESS, v, 0.0) for v in [*u, *x]], bound), list(numbers)
        self._begin_numbers(found, w, warm, self.barriers(bound, numbers, mu, penalty, 0, self.nu + self.nx))
        return [*w, *found]

    def begin_rows(
        self,
        x: Any,
        u: Any,
        C: Any,
        bound: Any,
        numbers: Any,
        multipliers: Any,
        warm: Any,
        mu: Any,
        penalty: Any,
    ) -> list[Number]:
        """Return numbers and multipliers, of rows the last ones or fresh ones."""
        found = list(numbers)
        w = [*u, *[0.0] * self.nx, *(dot(row, [*x, *u]) for row in fill(self.C, C))]
        self._begin_numbers(found, w, warm, self.barriers(bound, numbers, mu, penalty, self.nu + self.nx))
        return [*found, *(choose((warm[0] > 0.5) * (abs(y) < ENDLESS) > 0.5, y, 0.0) for y in multipliers)]

    def _begin_numbers(self, found: list[Number], w: Sequence[Number], warm: Any, given: Iterable[Any]) -> None:
        for group, i, barriers in given:
            own = group.begin(w[group.first + i], warm[0], barriers)
            for place, number in zip(group.numbers, own, strict=True):
                found[place + i] = number

    def output(self, x: Any, u: Any, C: Any, F: Any) -> list[Number]:
        """Return C z and F z."""
        return [dot(row, [*x, *u]) for row in fill(self.outputs, [*C, *F])]

    def hold(self, output: Any, f: Any, multipliers: Any) -> list[Number]:
        """Return what equalities add to the gradient of F z."""
        values = zip(output, f, multipliers, strict=True)
        return [y + self.stiffness * (value - wanted) for value, wanted, y in values]

    def condense(
        self,
        u: Any,
        x: Any,
        before: Any,
        bound: Any,
        numbers: Any,
        mu: Any,
        penalty: Any,
        C: Any,
        F: Any,
        f: Any,
        multipliers: Any,
    ) -> list[Number]:
        """Return what bounds and equalities add to the Hessian of (w, F z) and to the gradient, x, (C z, F z)."""
        D, d = ([0.0] * self.unknowns for _ in range(2))
        output = self.output(before, u, C, F)
        w = [*u, *x, *output]
        for group, i, barriers in self.barriers(bound, numbers, mu, penalty):
            place = group.first + i
            D[place], d[place] = group.condense(w[place], barriers)
        held = self.hold(output[len(self.C) :], f, multipliers)
        return [*D, *[self.stiffness] * len(held), *d, *held, *before, *output]

    def factor(self, *vectors: Any) -> list[Number]:
        """Return P, L, V, gap, of J, c, h, H, g, C, F, u, D, d, before, x', P+.

        The cost to go, and du = -L'^-1 V (dx, 1), dx' = T J dz + gap: L D L' = M_uu, V = D^-1 L^-1 M_u.
        """
        live, c, h, H, g, C, F, u, D, d, before, x, P = vectors
        D, d = self.present(D), self.present(d)
        nx, nu, J = self.nx, self.nu, fill(self.J, live)
        z, own = [*before, *u], self.fill_triangle(H)
        # Newton's step makes x' + dx' = T (J (z + dz) + c), so dx' = T J dz + gap.
        gap = [a - b for a, b in zip(self.follow(J, c, h[0], z), x, strict=True)]
        W, pull = self.turn(P, h[0], D[nu : nu + nx], d[nu : nu + nx], gap)
        # Rows of C and F: their curvature D adds C' D C to H, their slope d adds C' d to the gradient.
        slopes = [a + b for a, b in zip(g, multiply_symmetric(own, z), strict=True)]
        for row, curvature, slope in zip(fill(self.outputs, [*C, *F]), D[nu + nx :], d[nu + nx :], strict=True):
            slopes = add_multiple(slopes, slope, row)
            own = [add_multiple(x, curvature * a, row) for x, a in zip(own, row, strict=True)]
        # M = H + J' T'(P + D) T J, the Hessian of this stage and of all that follow; m is its gradient.
        columns = list(zip(*J, strict=True))
        WJ = [[dot(row, column) for column in columns] for row in W]
        right = list(zip(*WJ, strict=True))
        M = [[own[i][j] + dot(columns[i], right[j]) for j in range(i + 1)] for i in range(nx + nu)]
        m = [a + dot(column, pull) for a, column in zip(slopes, columns, strict=True)]
        S = [[M[nx + i][nx + j] + (D[i] if i == j else 0.0) for j in range(i + 1)] for i in range(nu)]
        L, inverse = factor_diagonal(S)
        # The Schur complement of M_uu, with L D L' = M_uu: P = M_xx - V' D V, where D V = L^-1 M_ux.
        right = [[M[nx + i][j] for i in range(nu)] for j in range(nx)]
        right.append([a + b for a, b in zip(m[nx:], d[:nu], strict=True)])
        Y = [solve_unit_lower(L, column) for column in right]
        V = [[a * b for a, b in zip(column, inverse, strict=True)] for column in Y]
        cost = [[M[max(i, j)][min(i, j)] - dot(V[max(i, j)], Y[min(i, j)]) for j in range(nx)] for i in range(nx)]
        rows = [[*row, m[i] - dot(V[i], Y[nx])] for i, row in enumerate(cost)]
        numbers = [*(x for row in L for x in row), *self._in_rows(zip(*V, strict=True))]
        return [*self._in_rows(rows), *numbers, *gap]

    def roll(self, *vectors: Any) -> list[Number]:
        """Return Newton's steps of u and x', their size more, those of (C z, F z), of L, V, gap, dx, J, h...

        The rest: size, C, F.
        """
        L, V, gap, x, J, h, size, C, F = vectors
        nx, J = self.nx, fill(self.J, J)
        rows = [V[self.pitch * i : self.pitch * i + nx + 1] for i in range(self.nu)]
        u = solve_unit_upper(self._triangle(L), [-dot(row[:nx], x) - row[nx] for row in rows])
        moved = self.follow(J, [0.0] * nx, h[0], [*x, *u])
        found = [*u, *(a + b for a, b in zip(moved, gap, strict=True))]
        return [*found, size[0] + sum((abs(v) for v in found), start=0.0), *self.output(x, u, C, F)]

    def follow(self, J: Any, c: Any, h: Number, z: Sequence[Number]) -> list[Number]:
        """Return x' = T (J z + c)."""
        found = [dot(row, z) if is_zero(b) else dot(row, z) + b for row, b in zip(J, c, strict=True)]
        first = list(found)
        for i, j in self.integrated:
            found[i] = found[i] + h * first[j]
        return found

    def measure(
        self,
        u: Any,
        x: Any,
        du: Any,
        dx: Any,
        bound: Any,
        numbers: Any,
        mu: Any,
        penalty: Any,
        reach: Any,
        output: Any,
        change: Any,
    ) -> list[Number]:
        """Return Newton's steps of numbers, and for each of w the largest parts of t, e and of y, z that any takes."""
        found, w, dw, count = list(numbers), [*u, *x, *output], [*du, *dx, *change], self.unknowns
        parts = list(reach)
        for group, i, barriers in self.barriers(bound, numbers, mu, penalty):
            at = group.first + i
            *changes, parts[at], parts[count + at] = group.measure(
                w[at], dw[at], [reach[at], reach[count + at]], barriers
            )
            for place, change in zip(group.numbers, changes, strict=True):
                found[place + i] = change
        return [*found, *parts]

    def step(self, reach: Any, size: Any, mu: Any) -> list[Number]:
        """Return the steps of t, e and of y, z, the next barrier and this one; no steps where there are no numbers."""
        count, (size,) = self.unknowns, size
        at = sorted(self.bounded_unknowns)
        parts = [[reach[first + i] for i in at] or [LEAST] for first in (0, count)]
        is_sound = flag(size < ENDLESS)
        # All parts begin with LEAST in memory: LLVM would divide by zero, too, where a constant is the least one here.
        a, b = (choose(is_sound, minimum(1.0, BEHIND / reduce(maximum, own)), 0.0) for own in parts)
        following = mu[0] * choose(a < SHORT, MORE, choose(minimum(a, b) > LONG, LEAST_PART, LESS))
        return [a, b, minimum(maximum(following, LEAST_BARRIER), MOST_BARRIER), mu[0]]

    def hold_on(self, output: Any, change: Any, f: Any, multipliers: Any, step: Number) -> list[Number]:
        """Return the multipliers of equalities after a step, for F z and its step."""
        held = self.hold([a + b for a, b in zip(output, change, strict=True)], f, multipliers)
        return [move(y, new - y, step) for y, new in zip(multipliers, held, strict=True)]

    def update(
        self,
        u: Any,
        x: Any,
        du: Any,
        dx: Any,
        numbers: Any,
        changes: Any,
        steps: Any,
        output: Any,
        change: Any,
        f: Any,
        multipliers: Any,
    ) -> list[Number]:
        """Return u, x', the numbers, and the multipliers of equalities after a step."""
        primal, dual, *_ = steps
        found, own = [move(a, b, primal) for a, b in zip([*u, *x], [*du, *dx], strict=True)], list(numbers)
        for group in self.groups:
            for k, place in enumerate(group.numbers):
                for i in range(place, place + group.count):
                    own[i] = limit(move(numbers[i], changes[i], dual if k % 2 else primal))
        first = len(self.C)
        return [*found, *own, *self.hold_on(output[first:], change[first:], f, multipliers, dual)]

    def end(self, Q: Any, q: Any, x: Any) -> list[Number]:
        """Return P of the terminal cost."""
        rows = [Q[max(i, j) * (max(i, j) + 1) // 2 + min(i, j)] for i in range(self.nx) for j in range(self.nx)]
        slopes = self.slope(Q, q, x)
        return self._in_rows([*rows[i * self.nx : i * self.nx + self.nx], slopes[i]] for i in range(self.nx))

    def slope(self, Q: Any, q: Any, x: Any) -> list[Number]:
        """Return the slope of the terminal cost."""
        rows = [list(Q[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2]) for i in range(self.nx)]
        return [a + b for a, b in zip(multiply_symmetric(rows, x), q, strict=True)]

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
        C: Any,
        F: Any,
        f: Any,
        multipliers: Any,
        adjoint: Any,
        worst: Any,
    ) -> list[Number]:
        """Return the adjoint of x, and the largest stationarity, equality, complementarity and violation so far.

        `adjoint` is that of x' without its bounds, so that stationarity of states holds.
        """
        nx, nu, J = self.nx, self.nu, fill(self.J, J)
        z, output = [*before, *u], self.output(before, u, C, F)
        w, pushes = [*u, *x, *output], [*[0.0] * self.unknowns, *multipliers]
        stationarity, equality, complementarity, violation = worst
        none = [0.0] * 2 * len([*self.inputs, *self.states, *self.rows])
        for group, i, barriers in self.barriers(bound, numbers, [0.0], none):
            place = group.first + i
            for barrier in barriers:
                pushes[place] = pushes[place] - barrier.bound.sign * barrier.numbers[1]
                violation = maximum(violation, -barrier.distance(w[place]))
                for t, y in zip(barrier.numbers[::2], barrier.numbers[1::2], strict=True):
                    complementarity = maximum(complementarity, t * y)
        for a, b in zip(self.follow(J, c, h[0], z), x, strict=True):
            equality = maximum(equality, abs(a - b))
        for a, b in zip(output[len(self.C) :], f, strict=True):
            equality = maximum(equality, abs(a - b))
        # Adjoints of x' go back through T = I + h E (T' below), then through J'.
        felt = [a + b for a, b in zip(adjoint, pushes[nu : nu + nx], strict=True)]
        first = list(felt)
        for i, j in self.integrated:
            felt[j] = felt[j] + h[0] * first[i]
        curved = multiply_symmetric(self.fill_triangle(H), z)
        slopes = [a + b + dot(column, felt) for a, b, column in zip(curved, g, zip(*J, strict=True), strict=True)]
        for row, push in zip(fill(self.outputs, [*C, *F]), pushes[nu + nx :], strict=True):
            slopes = add_multiple(slopes, push, row)
        for slope, push in zip(slopes[nx:], pushes[:nu], strict=True):
            stationarity = maximum(stationarity, abs(slope + push))
        return [*slopes[:nx], stationarity, equality, complementarity, violation]

    def clip(self, u: Any, bound: Any) -> list[Number]:
        """Return inputs within their bounds."""
        return self._clip(list(u), bound)

    def gain(self, L: Any, V: Any) -> list[Number]:
        """Return K of u = K x + k by rows."""
        columns = [[-V[self.pitch * i + j] for i in range(self.nu)] for j in range(self.nx)]
        solved = [solve_unit_upper(self._triangle(L), column) for column in columns]
        return [choose(abs(x) < ENDLESS, x, 0.0) for row in zip(*solved, strict=True) for x in row]

    def fill_triangle(self, live: Any) -> list[list[Any]]:
        """Return the lower triangle of H."""
        return fill([row[: i + 1] for i, row in enumerate(self.H)], live)

    def turn(self, P: Any, h: Number, D: Any, d: Any, gap: Sequence[Number]) -> tuple[list[list[Number]], list[Number]]:
        """Return T' (P + D) T and T' (p + d + (P + D) gap)."""
        nx = self.nx
        at = [[P[max(i, j) * self.pitch + min(i, j)] for j in range(nx)] for i in range(nx)]
        W = [[at[i][j] + (D[i] if i == j else 0.0) for j in range(nx)] for i in range(nx)]
        w = [P[i * self.pitch + nx] + d[i] + dot(row, gap) for i, row in enumerate(W)]
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

    def _in_rows(self, rows: Iterable[Sequence[Number]]) -> list[Number]:
        """Return rows one after the other, with zeros up to the pitch."""
        return [x for row in rows for x in (*row, *[0.0] * (self.pitch - self.nx - 1))]

    def present(self, values: Any) -> list[Number]:
        """Return numbers of (w, F z) that only unknowns with bounds or equalities have."""
        return [x if i in self.curved_unknowns else 0.0 for i, x in enumerate(values)]

    def _clip(self, u: list[Number], bound: Any) -> list[Number]:
        for own, value in zip(self.inputs, bound, strict=False):
            u[own.index] = (maximum if own.lower else minimum)(u[own.index], value)
        return u

    def _triangle(self, L: Any) -> list[Any]:
        return [L[i * (i - 1) // 2 : i * (i + 1) // 2] for i in range(self.nu)]
