"""What passages of a dual active set compute: straight-line code of each, on numbers of a memory."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from screwgraph.optimize.active_set.active_rows import LITTLE, SAME, Slots
from screwgraph.optimize.active_set.selection import Candidate, find_least
from screwgraph.optimize.dense_factors import ENDLESS, factor_positive, flag, solve_lower, solve_upper
from screwgraph.spatial import choose, largest_size, maximum, minimum
from screwgraph.tape import Number, Scalar, dot

TOLERANCE = 1e-9
"""Violation of a row, of 1 and the largest A x, that is none."""
LOOSE = ((0.5, 1e4), (0.75, 1e6))
"""How many times as much it is from parts of the most passages on: rows may come and go by rounding alone."""
VISIBLE = 10.0
"""How many times as much a relaxed row is open at least that counts as such."""
NOISE = 1e-24
"""Part of the square of a row's length, in units of the cost's least scale, that is rounding of its entries."""
SHORT = 1e-2
"""Part of the square of a normal's length that active normals leave, below which rounding counts."""
Numbers = Sequence[Number]


@dataclass(frozen=True)
class Passages:
    """Expressions of a program of n unknowns and rows with entries in `columns` each; `most` passages at most.

    With `holds`, rows with negative penalties are held. Vectors are described in `quadratic_program.py`. Rows are of x
    and of the `combined` numbers E x behind it.
    """

    n: int
    columns: Sequence[Sequence[int]]
    most: int
    combined: int = 0
    holds: bool = False

    @property
    def width(self) -> int:
        """How many entries a row has."""
        return self.n + self.combined

    def begin(self, H: Any, g: Any, lower: Any, upper: Any, active: Any) -> list[Number]:
        """Return low, up, y, L, inverse, y0, tries, whether there are any, and whether rows begin relaxed."""
        L, inverse = factor_positive([H[i * (i + 1) // 2 : (i + 1) * (i + 2) // 2] for i in range(self.n)])
        y0 = [-v for v in solve_lower(L, inverse, list(g))]
        tries = [
            (flag(a > 0.5) * flag(low > -ENDLESS) - flag(a < -0.5) * flag(up < ENDLESS)) * flag(abs(a) < 1.5)
            for a, low, up in zip(active, lower, upper, strict=True)
        ]
        begins = (largest_size(tries), largest_size(active) > 1.5)
        return [*lower, *upper, *y0, *(x for row in L for x in row), *inverse, *y0, *tries, *begins]

    def relax(self, A: Any, lower: Any, upper: Any, penalty: Any, active: Any) -> list[Number]:
        """Return what rows of the last solution push that begin relaxed, low, up and states, and that y0 is pushed."""
        low, up, states = list[Number](), list[Number](), list[Number]()
        push: list[Number] = [0.0] * self.width
        for i, (a, b, most, last) in enumerate(zip(lower, upper, penalty, active, strict=True)):
            side = flag(last > 1.5) * (a > -ENDLESS) - flag(last < -1.5) * (b < ENDLESS)
            for j in self.columns[i]:
                push[j] = push[j] + side * most * A[i * self.width + j]
            watched = _watch_bounds(0.0, abs(side), side, a, b)
            low, up, states = [*low, watched[0]], [*up, watched[1]], [*states, 2.0 * side]
        return [*push, *low, *up, *states, 1.0]

    def push(self, y0: Any, a: Any) -> list[Number]:
        """Return y0 and y where y0 is pushed."""
        pushed = [v + x for v, x in zip(y0, a, strict=True)]
        return [*pushed, *pushed]

    def measure(self, rest: Any, a: Any) -> list[Number]:
        """Return squares of the lengths of the rest of a normal and of all of it, and whether to split it again."""
        square, size = _sum_squares(rest), _sum_squares(a)
        return [square, size, flag(square < SHORT * size)]

    def try_row(self, squares: Any, side: Any, lower: Any, upper: Any, penalty: Any) -> list[Number]:
        """Return whether a row of the last solution becomes active, its state, watched bounds, bound, penalty, 0."""
        (square, size, _), (side,), (low,), (up,) = squares, side, lower, upper
        joins = square > SAME * size
        watched = choose(joins, -ENDLESS, low), choose(joins, ENDLESS, up)
        return [flag(joins), side * joins, *watched, choose(side > 0.0, low, -up), *penalty, 0.0]

    def try_held_row(
        self, squares: Any, side: Any, lower: Any, upper: Any, penalty: Any, row: Any, inverse: Any
    ) -> list[Number]:
        """Return the same where rows may be held; one that vanishes, or depends on others, follows from them."""
        (square, size, again), is_held = squares, flag(penalty[0] < 0.0)
        vanishes = flag(square < NOISE * _sum_squares(row) * largest_size(inverse) ** 2) * is_held
        joins, state, low, up, *others = self.try_row(
            [square * (1.0 - vanishes), size, again], side, lower, upper, penalty
        )
        watched = choose(is_held > 0.5, -ENDLESS, low), choose(is_held > 0.5, ENDLESS, up)
        return [joins, state, *watched, *others]

    def aim(self, picked: Any, side: Any, shift: Any, way: Any, pending: Any) -> list[Number]:
        """Return side, multiplier and way of a row: those of one that is pending, else of one that begins.

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
        pushed: Any,
    ) -> list[Number]:
        """Go along with the multipliers until the row is met, or until one meets a bound: Goldfarb and Idnani's step.

        `joins`: the row becomes active, in the slot `free`. `drops`: the row in `slot` ends, relaxed if `high`. Else
        the row itself is at a bound, relaxed or not active.
        """
        (square, size, _), (side,), (shift,), (way,) = squares, side, shift, way
        bound, most, released = aimed
        lower, upper = picked[4], picked[5]
        own, fits = self._slots(row, penalties, multiplier), square > SAME * size
        y0 = [v - released * most * x for v, x in zip(y0, a, strict=True)]
        # Along `rest` the row grows by |rest|^2 for each unit of its multiplier: gap / |rest|^2 meets the bound.
        gap = maximum(way * (bound - dot(a, y)), 0.0)
        full = choose(fits, gap / choose(fits, square, 1.0), ENDLESS)
        # A multiplier may grow to the row's penalty, where the row gives way, or shrink to zero, where it lets go.
        left = choose(way > 0.0, most - shift, shift)
        meets = flag(full <= left)
        length, slot, high = own.step_length([-way * x for x in multiples], minimum(full, left))
        drops = flag(slot > -0.5)
        joins = meets * (1.0 - drops)
        relaxed = (1.0 - drops) * (1.0 - joins) * flag(way > 0.0)
        along = choose(fits, way * length, 0.0)
        shift = shift + way * length
        open_ = choose(joins + drops > 0.5, 1.0, 0.0)
        low, up = _watch_bounds(open_, relaxed, side, lower, upper)
        state = side * (joins + 2.0 * relaxed)
        return [
            *(v + along * x for v, x in zip(y, rest, strict=True)),
            *(v + relaxed * most * x for v, x in zip(y0, a, strict=True)),
            *own.move_multipliers([-way * x for x in multiples], length),
            *(shift, state, low, up, drops, maximum(slot, 0.0), high, drops, joins, own.first_free()),
            maximum(pushed[0], maximum(relaxed, released)),
        ]

    def drop(self, y0: Any, gone: Any, dropped: Any, high: Any, pushed: Any) -> list[Number]:
        """Return y0, and of a row that ends the state and the watched bounds; and `pushed`."""
        (high,), (most, state, lower, upper) = high, dropped
        moved = [v + high * most * x for v, x in zip(y0, gone, strict=True)]
        low, up = _watch_bounds(0.0, high, state, lower, upper)
        return [*moved, 2.0 * high * state, low, up, maximum(pushed[0], high)]

    def settle(self, goals: Any, row: Any, penalties: Any, multiplier: Any) -> list[Number]:
        """Return multipliers that go to their goals; the first that would pass a bound ends the way, its row drops."""
        own = self._slots(row, penalties, multiplier)
        rates = [goal - x for goal, x in zip(goals, own.multiplier, strict=True)]
        little = LITTLE * (1.0 + largest_size(multiplier))
        found: list[Candidate] = [(ENDLESS, -1.0, 0.0)]
        for j, (goal, rate, most, x) in enumerate(zip(goals, rates, own.penalty, own.multiplier, strict=True)):
            # The first bound, 0 or the penalty, on the way from the multipliers at hand to those of the active rows.
            passes = own.keep_bounded(maximum(-goal, goal - most) > little, most)
            inverse = 1.0 / choose(passes, rate, 1.0)
            left = maximum((most - x) * inverse, -x * inverse)
            found.append((choose(passes, left, ENDLESS), float(j), flag(rate > 0.0)))
        length, slot, high = find_least(found)
        drops = flag(slot > -0.5)
        return [
            *own.move_multipliers(rates, minimum(length, 1.0)),
            maximum(slot, 0.0),
            high,
            drops,
            1.0 - drops,
            1.0 - drops,
        ]

    def scan(self, A: Any, E: Any, low: Any, up: Any, y: Any, L: Any, inverse: Any, count: Any) -> list[Number]:
        """Find the row whose watched bounds are violated most; return x, E x, values, the row, whether there is one."""
        x = solve_upper([L[i * (i - 1) // 2 : i * (i + 1) // 2] for i in range(self.n)], inverse, list(y))
        every = [*x, *(dot(E[self.n * k : self.n * k + self.n], x) for k in range(self.combined))]
        values = [
            dot([A[i * self.width + j] for j in own], [every[j] for j in own]) for i, own in enumerate(self.columns)
        ]
        # Of each row how far it is within its bounds, and its number.
        room = [(minimum(w - a, b - w), float(i)) for i, (w, a, b) in enumerate(zip(values, low, up, strict=True))]
        least, p = find_least(room)
        none: Number = TOLERANCE
        for part, factor in LOOSE:
            none = choose(count[0] > part * self.most, factor * TOLERANCE, none)
        return [*every, *values, p, flag(-least > none * (1.0 + largest_size(values)))]

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
        n, rest = self.n, [*(-v for v in g), *[0.0] * self.combined]
        for i in range(n):
            for j in range(i + 1):
                entry = H[i * (i + 1) // 2 + j]
                rest[i] = rest[i] - entry * x[j]
                rest[j] = rest[j] - entry * x[i] if j < i else rest[j]
        for i, (most, state) in enumerate(zip(penalty, states, strict=True)):
            share = most * (flag(state > 1.5) - flag(state < -1.5))
            for j in self.columns[i]:
                rest[j] = rest[j] + share * A[i * self.width + j]
        return [*rest, 0.0]

    def miss_row(self, rest: Any, normal: Any, state: Any, multiplier: Any, bound: Any, *every: Any) -> list[Number]:
        """Return the gradient that is left with an active row, and by how much x misses the row; `every`: x, E x."""
        share, z = state[0] * multiplier[0], [x for vector in every for x in vector]
        return [*(v + share * a for v, a in zip(rest, normal, strict=True)), bound[0] - state[0] * dot(normal, z)]

    def correct(self, y: Any, change: Any, goals: Any, row: Any, penalties: Any, multiplier: Any) -> list[Number]:
        """Return y and multipliers that leave none of the gradient and of the gaps of active rows in x.

        Pushes by penalties are large in y, where rounding of L and of dual vectors counts; they cancel in x: iterative
        refinement, Higham (2002), "Accuracy and stability of numerical algorithms", chapter 12.
        """
        own = self._slots(row, penalties, multiplier)
        return [*(a + b for a, b in zip(y, change, strict=True)), *own.move_multipliers(goals, 1.0)]

    def _slots(self, row: Any, penalties: Any, multiplier: Any) -> Slots:
        return Slots(list(row), list(penalties), list(multiplier), self.holds)

    def judge(
        self, x: Any, values: Any, lower: Any, upper: Any, active: Any, scans: Any, adds: Any, polished: Any, count: Any
    ) -> list[Number]:
        """Return x and the solution: zeros where there are no numbers."""
        is_sound = sum((abs(v) for v in x), start=0.0) < ENDLESS
        # Comparisons with NaN are false: a bound that is none would take its row away, and nothing would be said.
        are_bounds = [(flag(abs(a) + abs(b) >= 0.0),) for a, b in zip(lower, upper, strict=True)]
        is_sound = flag(is_sound) * find_least(are_bounds)[0] > 0.5
        room = [(minimum(w - a, b - w),) for w, a, b in zip(values, lower, upper, strict=True)]
        violation = maximum(0.0, -find_least(room)[0])
        is_open = violation > VISIBLE * TOLERANCE * (1.0 + largest_size(values))
        relaxed = flag(largest_size(active) > 1.5) * is_open
        status = choose(polished[0] > 0.5, relaxed, 2.0)
        return [
            *(choose(is_sound, v, 0.0) for v in x),
            choose(is_sound, status, 3.0),
            count[0],
            choose(is_sound, violation, 0.0),
        ]


def _sum_squares(vector: Any) -> Number:
    """Return the square of a length, by two sums that do not wait for each other."""
    return dot(vector[::2], vector[::2]) + dot(vector[1::2], vector[1::2])


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
