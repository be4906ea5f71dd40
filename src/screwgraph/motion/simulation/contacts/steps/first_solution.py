"""The first solution of a step, of contacts that stick or are open, and where it is left out.

Contacts that slid in the step before mostly slide on: those steps begin with a search, which most of them end at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws import direct_newton
from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import begin_sweeps, choose_vector
from screwgraph.motion.simulation.contacts.steps.loop_closing import PROBLEM, ROWS, LoopClosing
from screwgraph.motion.simulation.contacts.steps.named_vectors import make_named_block
from screwgraph.motion.simulation.contacts.steps.search_rounds import ROUND
from screwgraph.motion.simulation.contacts.steps.sliding_contacts import tell_sliding
from screwgraph.motion.simulation.contacts.steps.step_problem import Problem, make_problem
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import (
    ContactRows,
    StickingGuess,
    find_deviation,
    make_guess,
)
from screwgraph.spatial import choose
from screwgraph.tape import Memory, Number, Part, SettledWhen, dot

FOUND = ("x", "change", "state", "round")
"""Impulses, changes of velocities, and states of sweeps and rounds."""
LAST = "last x"
"""The impulses of the step before, of a second solution those of the first one."""
STICKS = "sticks"
"""Whether no contact slid in the step before."""


@dataclass(frozen=True, eq=False)
class FirstSolution:
    """The solution of a step with some terms, and of what closes its loops, where there are any."""

    __repr__ = one_line

    terms: Terms
    closing: LoopClosing | None

    def list_parts(self, memory: Memory, reads: Sequence[str]) -> tuple[Part, ...]:
        """Return the parts that find it; `reads` are vectors of which the problem of impulses is made."""
        terms = ["A", *ROWS, *INERTIA]
        if not self.is_optional:
            writes = [*PROBLEM, *FOUND, *(self.closing.sizes if self.closing else ())]
            return (make_named_block(memory, "aim", [*reads, *terms], writes, self.aim),)
        memory.add(STICKS, 1)
        begin = make_named_block(memory, "pose", [*reads, "places"], [*PROBLEM, *FOUND, STICKS], self.begin)
        stick = make_named_block(memory, "stick", [*reads, *terms, *PROBLEM, STICKS], FOUND, self.stick)
        return begin, SettledWhen(memory.places(STICKS).start, (stick,))

    @property
    def is_optional(self) -> bool:
        """Whether steps of contacts that slid go without it: those that `direct_newton` searches for.

        Soles share forces as it says, and what closes loops begins with it.
        """
        model = self.terms.model
        return self.closing is None and not model.soles and model.rows <= direct_newton.MOST_ROWS

    def begin(self, at: Mapping[str, Any]) -> list[Number]:
        """Return b, R and values of laws; the last impulses and no change; the state of a search; whether none slid."""
        last, slides = at[LAST], 0.0
        for c in range(len(self.terms.model.contacts)):
            normal, *along = last[3 * c : 3 * c + 3]
            slides = tell_sliding(normal, dot(along, along), at["contacts"][4 * c]) + slides
        change = [0.0] * len(self.terms.model.free_velocities.free)
        state = [*begin_sweeps(at["dt"][0]), 1.0, 0.0, 0.0]
        found = [*chain(*make_problem(self.terms, at, last)[:3]), *last, *change, *state]
        return [*found, choose(slides > 0.0, 0.0, 1.0)]

    def stick(self, at: Mapping[str, Any]) -> list[Number]:
        """Return what `settle` does where no contact slid; others' steps are left to a search."""
        last = at[LAST]
        b, R, values = (list(at[name]) for name in PROBLEM)
        found, may = self.settle(at, (b, R, values, []), last), at[STICKS][0]
        m, n = len(b), len(b) + len(self.terms.model.free_velocities.free)
        goes, is_on = choose(may > 0.5, found[n], 1.0), may > 0.5
        x = choose_vector(is_on, found[:m], last)
        return [*x, *found[m:n], goes, 1.0 - goes, *found[n + 2 : -ROUND], goes, 0.0, choose(is_on, found[-1], 0.0)]

    def aim(self, at: Mapping[str, Any]) -> list[Number]:
        """Return b, R and values of laws, then what `settle` does."""
        last = at[LAST]
        problem = make_problem(self.terms, at, last)
        return [*chain(*problem[:3]), *self.settle(at, problem, last)]

    def settle(self, at: Mapping[str, Any], problem: Problem, last: Numbers) -> list[Number]:
        """Return impulses and changes of velocities; the state, whether to search; of loops what closes them.

        These are the solution of contacts that stick or are open; where it does not obey all laws, another is searched
        for.
        """
        rows = self.read_rows(at)
        guess = make_guess(self.terms, at, rows, problem, last)
        x, change = guess.system.solve(guess.factor, guess.given, guess.right)
        every = rows.held.distribute(x, guess.holds, rows.places, at["contacts"][::4], guess.active)
        worst = find_deviation(self.terms.model.laws, problem[:3], every, rows.move(change), guess)
        goes, _, *state = begin_sweeps(at["dt"][0])
        goes = choose(worst <= state[0], 0.0, goes)
        found = [*every, *change, goes, 1.0 - goes, *state, goes, 0.0, worst]
        return [*found, *(self.closing.begin(guess, x) if self.closing else ())]

    def read_rows(self, at: Mapping[str, Any]) -> ContactRows:
        """Return the rows of contacts at some terms."""
        return ContactRows.read(self.terms, *(at[name] for name in ROWS))

    def guess(self, at: Mapping[str, Any], last: Numbers) -> tuple[Problem, StickingGuess, ContactRows]:
        """Return the problem (b, R, values, arcs) at some terms, what the last impulses let guess, rows of contacts."""
        problem, rows = make_problem(self.terms, at, last), self.read_rows(at)
        return problem, make_guess(self.terms, at, rows, problem, last), rows
