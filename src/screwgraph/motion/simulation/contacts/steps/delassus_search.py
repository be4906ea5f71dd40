"""The search for impulses by a Delassus matrix in straight code: of few contacts, whose rows meet in few numbers."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.motion.simulation.contacts.laws import direct_newton, newton, other_starts
from screwgraph.motion.simulation.contacts.laws.sweeps import ImpulseProblem, choose_vector
from screwgraph.motion.simulation.contacts.steps.jammed_contacts import search_again
from screwgraph.motion.simulation.contacts.steps.loop_closing import ROWS
from screwgraph.motion.simulation.contacts.steps.search_rounds import add_acceptance, judge_round
from screwgraph.motion.simulation.contacts.steps.step_terms import INERTIA, Terms
from screwgraph.motion.simulation.contacts.steps.sticking_guess import ContactRows
from screwgraph.tape import Block, Memory, Number, Part, SettledWhen, SettlingLoop


@dataclass(frozen=True, eq=False)
class DelassusSearch:
    """The search for impulses "x" in the memory of a step with some terms."""

    __repr__ = one_line

    terms: Terms
    memory: Memory

    @property
    def closes(self) -> bool:
        """Whether loops close together with contacts."""
        return bool(self.terms.model.free_velocities.loops)

    @property
    def sizes(self) -> dict[str, int]:
        """Vectors in memory of its own."""
        rows = self.terms.model.rows
        own = {"G'": sum(map(len, self.pattern)), "tried": rows, "direct": direct_newton.STATE}
        return own | {"b''": rows} if self.closes else own

    @cached_property
    def pattern(self) -> list[list[int]]:
        """The columns of each row of the lower triangle of the Delassus matrix, its diagonal among them."""
        terms, rng = self.terms, np.random.default_rng(0)  # any numbers, so that nothing cancels
        names = (*ROWS, *INERTIA)
        at = {name: rng.normal(size=np.prod(terms.shapes[name], dtype=int)).tolist() for name in names}
        G = terms.inertia(*(at[name] for name in INERTIA)).yielding(terms.full_rows(*(at[name] for name in ROWS)))
        return [sorted({*row, i}) for i, row in enumerate(G)]

    def list_parts(self, start: Block) -> tuple[Part, ...]:
        """Return the parts after `start`, which sets the impulses with which it begins."""
        memory, m, closes = self.memory, self.terms.model.rows, self.closes
        problem, begin = ["G'", "b''" if closes else "b'", "values", "prepared"], [start]
        if closes:
            begin.append(memory.block("open", ["b'", "beta", *ROWS, *INERTIA], ["b''"], self.open_loops))
        sweep = memory.block("sweep", [*problem, "x", "state"], ["x", "state"], self.sweep)
        judge = memory.block(
            "judge", [*problem, "x", "state", "round"], ["newton", "swept", "state", "round"], self.judge
        )
        improve, accept = newton.add_newton(memory, problem, self._problem, m), add_acceptance(memory)
        # Sweeps of all blocks until they settle, then Newton's method from there; rounds repeat both until laws hold.
        passage = (
            SettlingLoop(memory.places("state").start, (sweep,)),
            judge,
            SettledWhen(memory.places("newton").start, (improve, accept)),
        )
        beta = ["beta"] if closes else []
        respond = memory.block("respond", ["x", "round", "change", *ROWS, *INERTIA, *beta], ["change"], self.respond)
        first = memory.places("round").start
        direct = direct_newton.list_parts(memory, problem, self._problem, m)
        others = other_starts.add_starts(memory, problem, self._problem)
        tries, velocities = (SettlingLoop(first, passage), *others), ["b'", "b''"] if closes else ["b'"]
        rounds = SettledWhen(first, (search_again(memory, self.terms, tries, velocities),))
        return (*begin, self.yielding_block(), *direct, rounds, respond)

    def yielding_block(self) -> Block:
        """Return the code of the Delassus matrix, with compliance, and of what laws prepare of it."""
        return self.memory.block("yielding", ["R", *ROWS, *INERTIA], ["G'", "prepared"], self.make_yielding)

    def yielding_parts(self) -> tuple[Part, ...]:
        """Return what makes numbers that laws prepare, also where no search does."""
        return (self.yielding_block(),)

    def make_yielding(self, R: Any, J: Any, soles: Any, places: Any, *inertia: Any) -> list[Number]:
        """Return the lower triangle of the Delassus matrix J W J' + R, and what laws prepare of it."""
        G = self.terms.inertia(*inertia).yielding(self.terms.full_rows(J, soles, places))
        prepared, i = list[Number](), 0
        rows = [{j: row.get(j, 0.0) for j in own} for row, own in zip(G, self.pattern, strict=True)]
        for k, (row, soft) in enumerate(zip(rows, R, strict=True)):
            row[k] = row[k] + soft
        for law in self.terms.model.laws:
            prepared += law.prepare([[rows[i + r].get(i + s, 0.0) for s in range(r + 1)] for r in range(law.rows)])
            i += law.rows
        return [*(x for row in rows for x in row.values()), *prepared]

    def open_loops(self, b: Any, beta: Any, J: Any, soles: Any, places: Any, *inertia: Any) -> list[Number]:
        """Return velocities of rows without impulses while loops open at the rates `beta`."""
        change = self.terms.inertia(*inertia).solve([0.0] * len(self.terms.model.free_velocities.free), list(beta))
        moved = ContactRows.read(self.terms, J, soles, places).move(change)
        return [u + v for u, v in zip(b, moved, strict=True)]

    def respond(self, x: Any, round_: Any, change: Any, J: Any, soles: Any, places: Any, *others: Any) -> list[Number]:
        """Return the change of velocities that impulses make which were searched for, W J' x, and loops that open."""
        count = len(INERTIA)
        inertia, rates = self.terms.inertia(*others[:count]), [x for beta in others[count:] for x in beta]
        found = inertia.solve(self.terms.push(x, J, soles, places), rates)
        return choose_vector(round_[1] > 0.5, found, change)

    def sweep(self, G: Any, b: Any, values: Any, prepared: Any, x: Any, state: Any) -> list[Number]:
        """Return the impulses and the state after a sweep."""
        ahead, after = self._problem(G, b, values, prepared).passage(list(x), list(state))
        return [*ahead, *after]

    def judge(self, G: Any, b: Any, values: Any, prepared: Any, x: Any, state: Any, round_: Any) -> list[Number]:
        """Return Newton's state, the impulses beside it, and whether there is another round."""
        F = self._problem(G, b, values, prepared).residuals(list(x))
        return judge_round([sum(f * f for f in F), newton.largest(F)], x, state, round_)

    def _problem(self, G: Any, b: Any, values: Any, prepared: Any) -> ImpulseProblem:
        numbers = iter(G)
        rows = [{j: next(numbers) for j in columns} for columns in self.pattern]
        return ImpulseProblem(self.terms.model.laws, rows, list(b), list(values), list(prepared))
