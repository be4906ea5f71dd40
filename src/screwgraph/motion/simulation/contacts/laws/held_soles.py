"""Soles that stick: three rows each hold all their points along the plane, and what these take of their impulses.

Single tangents of points on one link are not determined; their sum and their moment are. Each point's is F / W + m n x
(rho - rho_c) times its weight, friction times normal impulse: the cone holds all, or the foot slides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws.laws import TINY, Numbers
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry, is_zero

SHARED = 3
"""Rows of a sole: velocities along the plane below its first point, and about its normal."""
LIGHT = 1e-15
"""Normal impulse (N s) that is none."""


class Hold(NamedTuple):
    """What holds a sole: whether its rows are active (1, else 0), the point of these (m), the arc (m/s) in `drift`."""

    sticks: Number
    turns: Number
    at: tuple[Number, Number]
    arc: tuple[Number, Number]


@dataclass(frozen=True, eq=False)
class HeldSoles:
    """The rows that hold a model's contacts: its rows but the tangents of soles, then `SHARED` of each sole.

    `soles` are the contacts of each, by place; contact c has the rows 3 c (its normal), 3 c + 1 and 3 c + 2.
    """

    __repr__ = one_line

    soles: Sequence[Sequence[int]]
    rows: int

    @cached_property
    def kept(self) -> list[int]:
        """The model's rows that are held by themselves."""
        shared = {3 * c + k for own in self.soles for c in own for k in (1, 2)}
        return [i for i in range(self.rows) if i not in shared]

    def select(self, numbers: Sequence[Number], shared: Sequence[Number] = ()) -> list[Number]:
        """Return numbers of the rows, of those of the model and of soles; these are zero if not given."""
        return [*(numbers[i] for i in self.kept), *(shared or [0.0] * (SHARED * len(self.soles)))]

    def spread(self, numbers: Sequence[Number]) -> list[Number]:
        """Return numbers of all the model's rows, zero of tangents of soles."""
        found: list[Number] = [0.0] * self.rows
        for i, x in zip(self.kept, numbers, strict=False):
            found[i] = x
        return found

    def expand(self, own: Sequence[Number], shared: Sequence[Number], places: Numbers) -> list[Number]:
        """Return velocities of the model's rows, of those that are held by themselves and those of soles."""
        found, numbers = self.spread(own), iter(places)
        for k, sole in enumerate(self.soles):
            x, y, turn = shared[SHARED * k : SHARED * k + SHARED]
            for c in sole:
                a, b = next(numbers), next(numbers)
                found[3 * c + 1], found[3 * c + 2] = x - b * turn, y + a * turn
        return found

    def expand_rows(self, own: Sequence[Row], shared: Sequence[Row], places: Numbers) -> list[Row]:
        """Return the model's rows, of those that are held by themselves and those of soles."""
        columns = sorted({j for row in (*own, *shared) for j in row})
        found: list[Row] = [{} for _ in range(self.rows)]
        for j in columns:
            entries = self.expand([row.get(j, 0.0) for row in own], [row.get(j, 0.0) for row in shared], places)
            for row, x in zip(found, entries, strict=True):
                if not is_zero(x):
                    row[j] = x
        return found

    def average_arcs(self, last: Numbers, arrives: Numbers, arcs: Numbers) -> list[Number]:
        """Return the arcs (m/s) of the model's rows: those of centres of pressure of the `last` impulses.

        Of soles that did not press then, of contacts that arrive (1, else 0), if there are any; else each has its own.
        """
        found, numbers = self.spread(()), iter(arcs)
        for own in self.soles:
            loads = [maximum(last[3 * c], 0.0) for c in own]
            pressed = sum(loads, start=0.0) > LIGHT
            weights = [choose(pressed, load, arrives[c]) for load, c in zip(loads, own, strict=True)]
            total = sum(weights, start=0.0)
            inverse = 1.0 / maximum(total, TINY)
            of_contacts = [(next(numbers), next(numbers)) for _ in own]
            for k in (0, 1):
                mean = inverse * sum((w * arc[k] for w, arc in zip(weights, of_contacts, strict=True)), start=0.0)
                for c, arc in zip(own, of_contacts, strict=True):
                    found[3 * c + 1 + k] = choose(total > 0.0, mean, arc[k])
        return found

    def hold(self, active: Numbers, places: Numbers, swings: Numbers) -> list[Hold]:
        """Return how soles are held where contacts stick which are active, whose tangents have the arcs `swings`.

        A single point has no moment: it is held where it is.
        """
        found, numbers = list[Hold](), iter(places)
        for own in self.soles:
            rubs = [active[3 * c + 1] for c in own]
            count = sum(rubs, start=0.0)
            at = [(next(numbers), next(numbers)) for _ in own]
            is_one = choose(count > 1.5, 0.0, 1.0)
            share = 1.0 / maximum(count, 1.0)
            x, y = (is_one * sum((r * p[k] for r, p in zip(rubs, at, strict=True)), start=0.0) for k in (0, 1))
            arc = [
                share * sum((r * swings[3 * c + 1 + k] for r, c in zip(rubs, own, strict=True)), start=0.0)
                for k in (0, 1)
            ]
            found.append(Hold(choose(count > 0.5, 1.0, 0.0), 1.0 - is_one, (x, y), (arc[0], arc[1])))
        return found

    def move_rows(self, rows: Sequence[Row], holds: Sequence[Hold]) -> list[Row]:
        """Return the rows of soles where they are held."""
        found = list[Row]()
        for k, hold in enumerate(holds):
            *along, turn = rows[SHARED * k : SHARED * k + SHARED]
            for row, lever in zip(along, (-hold.at[1], hold.at[0]), strict=True):
                moved = dict(row)
                for j, x in turn.items():
                    add_entry(moved, j, lever * x)
                found.append(moved)
            found.append(turn)
        return found

    def move_velocities(self, drift: Numbers, holds: Sequence[Hold], *, on_arcs: bool = False) -> list[Number]:
        """Return the velocities of soles where they are held, of those of their origins, and those of their arcs."""
        found = list[Number]()
        for k, hold in enumerate(holds):
            x, y, turn = drift[SHARED * k : SHARED * k + SHARED]
            arc = hold.arc if on_arcs else (0.0, 0.0)
            found += [x + arc[0] - hold.at[1] * turn, y + arc[1] + hold.at[0] * turn, turn]
        return found

    def distribute(
        self, impulses: Numbers, holds: Sequence[Hold], places: Numbers, friction: Sequence[Number], active: Numbers
    ) -> list[Number]:
        """Return impulses of all the model's rows, `friction` by contact."""
        own_count = len(self.kept)
        found, numbers = self.spread(impulses[:own_count]), iter(places)
        for k, (own, hold) in enumerate(zip(self.soles, holds, strict=True)):
            first, second, moment = impulses[own_count + SHARED * k :][:SHARED]
            at = [(next(numbers), next(numbers)) for _ in own]
            weights = [active[3 * c + 1] * friction[c] * maximum(found[3 * c], 0.0) for c in own]
            inverse = 1.0 / maximum(sum(weights, start=0.0), TINY)
            x, y = (inverse * sum((w * p[i] for w, p in zip(weights, at, strict=True)), start=0.0) for i in (0, 1))
            arms = [(p[0] - x, p[1] - y) for p in at]
            inertia = sum((w * (a * a + b * b) for w, (a, b) in zip(weights, arms, strict=True)), start=0.0)
            moved = moment + (hold.at[0] - x) * second - (hold.at[1] - y) * first
            turn = hold.turns * moved / maximum(inertia, TINY)
            for c, w, (a, b) in zip(own, weights, arms, strict=True):
                found[3 * c + 1] = w * (inverse * first - turn * b)
                found[3 * c + 2] = w * (inverse * second + turn * a)
        return found
