"""Gaussian elimination, one scalar unknown at a time, on equations whose coefficients are symbolic.

Each unknown is expressed by unknowns that are eliminated later. Which equation serves is decided
here and now (a static pivot): +-1 first, then constants, then values of one sign over all random
states; an unknown that only offers pivots that may vanish, or constants that rounding left of zero, waits until later.
What no exact equation tells, those that hold only nearly do (`least_squares`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from random import Random

from screwgraph.base.progress_report import report_progress
from screwgraph.base.summary import one_line
from screwgraph.elimination.block_pivots import eliminate_block, eliminate_safe_block
from screwgraph.elimination.congruence import prepare_rotations
from screwgraph.elimination.group import Group
from screwgraph.elimination.least_squares import eliminate_soft
from screwgraph.elimination.pivot import SMALL, Candidate, find_share_near_zero
from screwgraph.elimination.pivot_pairs import eliminate_pairs
from screwgraph.elimination.system import Step, System
from screwgraph.graph import Column, Row
from screwgraph.tape import Number, is_zero

Choice = tuple[tuple, Candidate]
"""A sort key, best first, and the pivot that it ranks."""


@dataclass(frozen=True, eq=False)
class Elimination:
    """The steps taken, and the equations that are left; those of no unknown say that a constant is zero.

    `delayed` had to wait beyond their group; `unsafe_pivots` may vanish at some state: nothing better was left.
    """

    __repr__ = one_line

    steps: tuple[Step, ...]
    remaining: tuple[Row, ...]
    undetermined: tuple[Column, ...] = ()
    delayed: tuple[Column, ...] = ()
    unsafe_pivots: tuple[Column, ...] = ()

    @property
    def left(self) -> tuple[Row, ...]:
        """The exact equations that served for nothing, and are no identities."""
        exact = (row for row in self.remaining if not row.factor.sigma)
        return tuple(row for row in exact if row.terms or not is_zero(row.constant))

    def solve(self, values: Mapping[Column, Number] | None = None) -> dict[Column, Number]:
        """Substitute back, last step first; `values` gives unknowns that were not eliminated."""
        solution = dict(values or {})
        for step in reversed(self.steps):
            value = step.constant
            for column, coefficient in step.terms.items():
                value = value + coefficient * solution[column]
            solution[step.column] = value
        return solution


def eliminate_rows(
    rows: Sequence[Row], order: Iterable[Group], watch: Callable[[], None] = lambda: None
) -> Elimination:
    """Eliminate groups of unknowns in order; inside a group, whichever its rule picks next.

    Unknowns of `rows` that the order does not name stay in the remaining equations. `watch` is called after each
    group: by raising an error, it gives an order up.
    """
    groups = list(order)
    system = System(rows, {column for group in groups for column in group.columns})
    steps: list[Step] = []
    waiting: dict[Column, int] = {}
    undetermined: list[Column] = []
    delayed: list[Column] = []
    for number, group in enumerate(groups):
        # Unknowns without a safe pivot wait for later groups: fill-in by others may bring one.
        waiting.update(dict.fromkeys(group.columns, number))
        eliminate_group(system, group, waiting, steps, undetermined)
        delayed += [column for column, asked in waiting.items() if asked == number]
        watch()
    # What waits to the end: blocks with a safe determinant, then single pivots that may vanish, each of which may free
    # others for safe ones.
    natural = _chooser(system, Group(()))
    unsafe_pivots = []
    while waiting:
        block = eliminate_safe_block(system, waiting)
        steps += block
        if not block:
            unsafe_pivots.append(_eliminate_unsafe(system, waiting, steps))
        _eliminate_while_safe(system, waiting, natural, steps, undetermined)
    return Elimination(tuple(steps), system.remaining(), tuple(undetermined), tuple(delayed), tuple(unsafe_pivots))


def eliminate_group(
    system: System, group: Group, waiting: dict[Column, int], steps: list[Step], undetermined: list[Column]
) -> None:
    """Eliminate, by a group's rule, all waiting unknowns that have a pivot that cannot vanish; they wait no longer."""
    prepare_rotations(system, group.columns)
    if group.pairs:
        eliminate_pairs(system, group, waiting, steps)
    if group.block:
        eliminate_block(system, group, waiting, steps)
    _eliminate_while_safe(system, waiting, _chooser(system, group), steps, undetermined)


def _chooser(system: System, group: Group) -> Callable[[Column], list[Choice]]:
    """Return a function that ranks the pivots which an unknown offers, those of the best class only."""
    random = Random(group.seed)

    def natural(column: Column) -> list[Choice]:
        offers = system.offers(column, group.law)
        best = min((o.pivot_class for o in offers), default=None)
        return [(o.preference(), o) for o in offers if o.pivot_class == best]

    def by_work(column: Column) -> list[Choice]:
        safe = [o for o in system.offers(column, group.law) if o.pivot_class < SMALL]
        if not safe:
            return natural(column)
        scores = [system.work(column, o.row) * (1.0 + group.jitter * random.random()) for o in safe]
        return [((0, score, random.random(), o.row), o) for score, o in zip(scores, safe, strict=True)]

    return by_work if group.by_work else natural


def _eliminate_while_safe(
    system: System,
    waiting: dict[Column, int],
    choices: Callable[[Column], list[Choice]],
    steps: list[Step],
    undetermined: list[Column],
) -> None:
    """Eliminate all that have a pivot that cannot vanish, and take them from those that wait."""
    offers = {column: min(choices(column), default=None) for column in waiting}
    while offers:
        for column in [c for c, o in offers.items() if o is None]:
            undetermined.append(column)
            del offers[column], waiting[column]
        best = min((o for o in offers.values() if o is not None), default=None)
        if best is None or best[1].pivot_class >= SMALL:
            break
        column, row = best[1].column, best[1].row
        eliminated = system.eliminate if system.weights[row] is None else partial(eliminate_soft, system)
        step = eliminated(column, row, waiting.pop(column))
        steps.append(step)
        report_progress(f"eliminating unknowns: {len(steps)} done")
        del offers[column]
        for column in offers:
            if column in step.touched:
                offers[column] = min(choices(column), default=None)


def _eliminate_unsafe(system: System, waiting: dict[Column, int], steps: list[Step]) -> Column:
    """Every pivot left may vanish at some state, or nearly has: take the one that is farthest from zero."""
    offers = [o for column in waiting for o in system.offers(column)]
    best = min(
        offers, key=lambda o: (o.pivot_class, find_share_near_zero(system.terms[o.row][o.column]), o.cost, o.row)
    )
    steps.append(system.eliminate(best.column, best.row, waiting.pop(best.column), unsafe=True))
    report_progress(f"eliminating unknowns: {len(steps)} done")
    return best.column
