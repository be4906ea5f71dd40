"""What passages of a dual active set compute: straight-line code of each, on numbers of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.active_set.active_rows import LITTLE, SAME, Slots
from screwgraph.optimize.dense_factors import ENDLESS, TINY, factor_positive, flag, solve_lower, solve_upper
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Number, Scalar, dot

TOLERANCE = 1e-9
"""Violation of a row, of 1 and the largest A x, that is none."""
VISIBLE = 10.0
"""How many times as much a relaxed row is open at least that counts as such."""
SHORT = 1e-2
"""Part of the square of a normal's length that active normals leave, below which rounding counts."""
TRIED = 2.0
"""`pending` of a row of the last solution: it becomes active with the multiplier zero."""
Numbers = Sequence[Number]


@dataclass(frozen=True)
class Passages:
    """Expressions of a program of n unknowns and rows with entries in `columns` each; `most` passages at most.

    Vectors are described in `quadratic_program.py`.
    """

    n: int
    columns: Sequence[Sequence[int]]
    most: int

    def begin(self, H: Any, g: Any, lower: Any, upper: Any, active: Any) -> list[Number]:
        """Return low, up, y, L, inverse, y0, tries, whether there are any, and whether rows begin relaxed."""
        L, inverse = factor_positive([H[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(self.n)])
        y0 = [-v for v in solve_lower(L, inverse, list(g))]
        tries = [
            choose(a > 0.5, flag(low > -ENDLESS), choose(a < -0.5, -flag(up < ENDLESS), 0.0)) * (abs(a) < 1.5)
            for a, low, up in zip(active, lower, upper, strict=True)
        ]
        begins = (largest_size(tries), largest_size(active) > 1.5)
        return [*lower, *upper, *y0, *(x for row in L for x in row), *inverse, *y0, *tries, *begins]

    def relax(
        self, A: Any, lower: Any, upper: Any, penalty: Any, active: Any, L: Any, inverse: Any, y0: Any
    ) -> list[Number]:
        """Return y0, y, low, up and states where rows of the last solution begin relaxed; y0 is pushed."""
        low, up, states = list[Number](), list[Number](), list[Number]()
        push: list[Number] = [0.0] * self.n
        for i, (a, b, most, last) in enumerate(zip(lower, upper, penalty, active, strict=True)):
            side = flag(last > 1.5) * (a > -ENDLESS) - flag(last < -1.5) * (b < ENDLESS)
            for j in self.columns[i]:
                push[j] = push[j] + side * most * A[i * self.n + j]
            watched = _watch_bounds(0.0, abs(side), side, a, b)
            low, up, states = [*low, watched[0]], [*up, watched[1]], [*states, 2.0 * side]
        y0 = [a + b for a, b in zip(y0, solve_lower(self._triangle(L), inverse, push), strict=True)]
        return [*y0, *y0, *low, *up, *states, 1.0]

    def project(self, side: Any, normal: Any, L: Any, inverse: Any, duals: Any, normals: Any) -> list[Number]:
        """Return the normal in y, the multiples of active ones nearest to it, the rest, squares of both lengths.

        And whether the rest is so short that it is to be refined.
        """
        # With H = L L' and y = L'x, the row n'x has the normal L^-1 n: distances in y are those of the cost.
        a = [side[0] * x for x in solve_lower(self._triangle(L), inverse, list(normal))]
        multiples, rest = self._split(duals, normals, a)
        square, size = dot(rest, rest), dot(a, a)
        return [*a, *multiples, *rest, square, size, flag(square < SHORT * size)]

    def refine(self, multiples: Any, rest: Any, squares: Any, duals: Any, normals: Any) -> list[Number]:
        """Return multiples, the rest and squares after another projection: twice is enough (Kahan)."""
        more, rest = self._split(duals, normals, list(rest))
        return [*(a + b for a, b in zip(multiples, more, strict=True)), *rest, dot(rest, rest), squares[1], 0.0]

    def aim(self, picked: Any, side: Any, shift: Any, way: Any, pending: Any) -> list[Number]:
        """Return side, multiplier and way of a row: that of one that is pending, else of one that begins.

        And its bound, its penalty, and whether it was relaxed till now.
        """
        (low, up, value, state, lower, upper, penalty), (side,), (shift,), (way,), (pending,) = (
            picked,
            side,
            shift,
            way,
            pending,
        )
        begins, was_relaxed = pending < 0.5, abs(state) > 1.5
        # The side that is violated more: 1 lower, -1 upper. A relaxed row comes back from the side that it is open on.
        fresh = choose(was_relaxed, choose(state > 0.0, 1.0, -1.0), choose(low - value >= value - up, 1.0, -1.0))
        side = choose(begins, fresh, side)
        shift = choose(begins, choose(was_relaxed, penalty, 0.0), shift)
        way = choose(begins, choose(was_relaxed, -1.0, 1.0), way)
        released = flag(begins) * was_relaxed
        return [side, shift, way, choose(side > 0.0, lower, -upper), penalty, released]

    def move(
        self,
        a: Any,
        multiples: Any,
        rest: Any,
        squares: Any,
        row: Any,
        penalties: Any,
        multiplier: Any,
        y: Any,
        y0: Any,
        picked: Any,
        side: Any,
        shift: Any,
        way: Any,
        aimed: Any,
        pending: Any,
        pushed: Any,
    ) -> list[Number]:
        """Go along with the multipliers until the row is met, or until one meets a bound: Goldfarb and Idnani's step.

        `joins`: the row becomes active, in the slot `free`. `drops`: the row in `slot` ends, relaxed if `high`. Else
        the row itself is at a bound, relaxed or not active.
        """
        (square, size, _), (side,), (shift,), (way,), (bound, most, released), (pending,) = (
            squares,
            side,
            shift,
            way,
            aimed,
            pending,
        )
        lower, upper = picked[4], picked[5]
        own = Slots((), (), list(row), (), list(penalties), list(multiplier))
        is_tried, fits = flag(pending > 0.5 * TRIED), square > SAME * size
        y0 = [v - released * most * x for v, x in zip(y0, a, strict=True)]
        # Along `rest` the row grows by |rest|^2 for each unit of its multiplier: gap / |rest|^2 meets the bound.
        gap = maximum(way * (bound - dot(a, y)), 0.0)
        full = choose(fits, gap / choose(fits, square, 1.0), ENDLESS)
        # A multiplier may grow to the row's penalty, where the row gives way, or shrink to zero, where it lets go.
        left = choose(way > 0.0, most - shift, shift)
        meets = flag(full <= left)
        length, slot, high = own.step_length([-way * x for x in multiples], minimum(full, left))
        drops = flag(slot > -0.5) * (1.0 - is_tried)
        free, has_free = own.first_free()
        joins = choose(is_tried > 0.5, flag(fits) * has_free, meets * (1.0 - drops))
        length = choose(is_tried > 0.5, 0.0, length)
        relaxed = (1.0 - drops) * (1.0 - joins) * flag(way > 0.0) * (1.0 - is_tried)
        along = choose(fits, way * length, 0.0)
        shift = shift + way * length
        open_ = choose(joins + drops > 0.5, 1.0, 0.0)
        low, up = _watch_bounds(open_, relaxed, side, lower, upper)
        state = side * (joins + 2.0 * relaxed)
        return [
            *(v + along * x for v, x in zip(y, rest, strict=True)),
            *(v + relaxed * most * x for v, x in zip(y0, a, strict=True)),
            *own.move_multipliers([-way * x for x in multiples], length),
            *(shift, state, low, up, drops, maximum(slot, 0.0), high, drops, joins, free),
            maximum(pushed[0], maximum(relaxed, released)),
        ]

    def join(self, multiples: Any, rest: Any, squares: Any, duals: Any) -> list[Number]:
        """Return the dual vectors of others, and that of a row that becomes active."""
        inverse = 1.0 / squares[0]
        own = [inverse * x for x in rest]
        n = self.n
        # Duals D of normals N: D_i . N_j is 1 for i = j, else 0. The new dual is rest / |rest|^2.
        others = [duals[n * j + i] - multiples[j] * own[i] for j in range(n) for i in range(n)]
        return [*others, *own]

    def drop(self, duals: Any, y0: Any, dual: Any, gone: Any, dropped: Any, high: Any, pushed: Any) -> list[Number]:
        """Return dual vectors without those of a row, y0, the state and watched bounds of the row, and `pushed`."""
        n, (high,), (most, state, lower, upper) = self.n, high, dropped
        inverse, found = 1.0 / maximum(dot(dual, dual), TINY), list[Number]()
        for j in range(n):
            own = duals[n * j : n * j + n]
            share = dot(own, dual) * inverse
            # Other duals lose their part along this one, which is orthogonal to all normals that stay.
            found += [x - share * d for x, d in zip(own, dual, strict=True)]
        moved = [v + high * most * x for v, x in zip(y0, gone, strict=True)]
        low, up = _watch_bounds(0.0, high, state, lower, upper)
        return [*found, *moved, 2.0 * high * state, low, up, maximum(pushed[0], high)]

    def solve(
        self, duals: Any, normals: Any, row: Any, bound: Any, penalties: Any, multiplier: Any, y0: Any
    ) -> list[Number]:
        """Solve for the active rows; the first multiplier that would pass a bound ends the way, and its row drops."""
        own = self._slots(duals, normals, row, bound, penalties, multiplier)
        y, goals = own.nearest(list(y0))
        rates = [goal - x for goal, x in zip(goals, own.multiplier, strict=True)]
        little = LITTLE * (1.0 + largest_size(multiplier))
        length, slot, high = 1.0, -1.0, 0.0
        for j, (goal, rate, x) in enumerate(zip(goals, rates, own.multiplier, strict=True)):
            # The first bound, 0 or the penalty, on the way from the multipliers at hand to those of the active rows.
            passes = flag(maximum(-goal, goal - own.penalty[j]) > little)
            inverse = 1.0 / choose(passes, rate, 1.0)
            left = minimum(maximum((own.penalty[j] - x) * inverse, -x * inverse), 1.0)
            is_next = passes * maximum(flag(left < length), flag(slot < -0.5))
            length, slot = choose(is_next, left, length), slot + is_next * (j - slot)
            high = high + is_next * (flag(rate > 0.0) - high)
        drops = flag(slot > -0.5)
        return [*y, *own.move_multipliers(rates, length), maximum(slot, 0.0), high, drops, 1.0 - drops, 1.0 - drops]

    def scan(self, A: Any, low: Any, up: Any, y: Any, _: Any, __: Any, L: Any, inverse: Any) -> list[Number]:
        """Find the row whose watched bounds are violated most; return x, A x, the row, and whether there is one."""
        x = solve_upper(self._triangle(L), inverse, list(y))
        values = [dot([A[i * self.n + j] for j in own], [x[j] for j in own]) for i, own in enumerate(self.columns)]
        worst, p = -ENDLESS, 0.0
        for i, (w, a, b) in enumerate(zip(values, low, up, strict=True)):
            wrong = maximum(a - w, w - b)
            p = p + flag(wrong > worst) * (i - p)
            worst = maximum(worst, wrong)
        return [*x, *values, p, flag(worst > TOLERANCE * (1.0 + largest_size(values)))]

    def next(self, *flags: Any) -> list[Number]:
        """Return whether to go on, the count, whether y is corrected now, and whether it has been.

        And what the next passage does: it solves, adds a row, or looks.
        """
        solves, scans, adds, drops, pending, polished, pushed, corrected, count = (x for (x,) in flags)
        finds_none = scans * (1.0 - adds)
        ends = finds_none * polished
        corrects = ends * pushed * (1.0 - corrected)
        more = (1.0 - ends * (1.0 - corrects)) * flag(count < self.most - 1.5)
        again = maximum(finds_none * (1.0 - corrects), solves * drops * (1.0 - scans))
        looks = (1.0 - again) * (1.0 - pending)
        polished, corrected = polished * (1.0 - adds), maximum(corrects, corrected) * (1.0 - adds)
        return [more, count + 1.0, corrects, corrected, again, looks, pending, 0.0, pending, polished]

    def miss(self, H: Any, g: Any, A: Any, penalty: Any, x: Any, states: Any) -> list[Number]:
        """Return the gradient that relaxed rows leave, with its sign changed, and the first slot."""
        n, rest = self.n, [-v for v in g]
        for i in range(n):
            for j in range(i + 1):
                entry = H[i * (i + 1) // 2 + j]
                rest[i] = rest[i] - entry * x[j]
                rest[j] = rest[j] - entry * x[i] if j < i else rest[j]
        for i, (most, state) in enumerate(zip(penalty, states, strict=True)):
            share = most * (flag(state > 1.5) - flag(state < -1.5))
            for j in self.columns[i]:
                rest[j] = rest[j] + share * A[i * n + j]
        return [*rest, 0.0]

    def miss_row(self, rest: Any, normal: Any, state: Any, multiplier: Any, x: Any, bound: Any) -> list[Number]:
        """Return the gradient that is left with an active row, and by how much x misses the row."""
        share = state[0] * multiplier[0]
        return [*(v + share * a for v, a in zip(rest, normal, strict=True)), bound[0] - state[0] * dot(normal, x)]

    def correct(
        self,
        rest: Any,
        gaps: Any,
        y: Any,
        L: Any,
        inverse: Any,
        duals: Any,
        normals: Any,
        row: Any,
        penalties: Any,
        multiplier: Any,
    ) -> list[Number]:
        """Return y and multipliers that leave none of the gradient and of the gaps of active rows in x.

        Pushes by penalties are large in y, where rounding of L and of dual vectors counts; they cancel in x: iterative
        refinement, Higham (2002), "Accuracy and stability of numerical algorithms", chapter 12.
        """
        own = self._slots(duals, normals, row, gaps, penalties, multiplier)
        change, rates = own.nearest(solve_lower(self._triangle(L), inverse, list(rest)))
        return [*(a + b for a, b in zip(y, change, strict=True)), *own.move_multipliers(rates, 1.0)]

    def judge(
        self, x: Any, values: Any, lower: Any, upper: Any, active: Any, scans: Any, adds: Any, polished: Any, count: Any
    ) -> list[Number]:
        """Return x and the solution: zeros where there are no numbers."""
        is_sound = sum((abs(v) for v in x), start=0.0) < ENDLESS
        violation = 0.0
        for w, a, b in zip(values, lower, upper, strict=True):
            violation = maximum(violation, maximum(a - w, w - b))
        is_open = violation > VISIBLE * TOLERANCE * (1.0 + largest_size(values))
        relaxed = flag(largest_size(active) > 1.5) * is_open
        status = choose(polished[0] > 0.5, relaxed, 2.0)
        return [
            *(choose(is_sound, v, 0.0) for v in x),
            choose(is_sound, status, 3.0),
            count[0],
            choose(is_sound, violation, 0.0),
        ]

    def _triangle(self, L: Any) -> list[Any]:
        return [L[i * (i - 1) // 2 : i * (i + 1) // 2] for i in range(self.n)]

    def _split(self, duals: Any, normals: Any, a: Numbers) -> tuple[list[Number], list[Number]]:
        n = self.n
        multiples = [dot(duals[n * j : n * j + n], a) for j in range(n)]
        rest = list(a)
        for j, share in enumerate(multiples):
            rest = [x - share * v for x, v in zip(rest, normals[n * j : n * j + n], strict=True)]
        return multiples, rest

    def _slots(self, duals: Any, normals: Any, *numbers: Any) -> Slots:
        n = self.n
        D, N = ([list(x[n * j : n * j + n]) for j in range(n)] for x in (duals, normals))
        return Slots(N, D, *map(list, numbers))


def _watch_bounds(
    is_open: Number, is_relaxed: Number, side: Number, lower: Number, upper: Number
) -> tuple[Number, Number]:
    """Return bounds that a row is watched for: none, those that it is relaxed till, or its own."""
    relaxed, rises = is_relaxed > 0.5, side > 0.0
    low = choose(relaxed, choose(rises, -ENDLESS, upper), lower)
    up = choose(relaxed, choose(rises, lower, ENDLESS), upper)
    if not isinstance(is_open, Scalar):
        return low, up
    return choose(is_open > 0.5, -ENDLESS, low), choose(is_open > 0.5, ENDLESS, up)
