"""Derivatives of a step with contacts, implicit on the active set: its impulses are found, then differentiated once.

The impulses x solve F(x, u) = 0, u the arguments, so that dx = -F_x^-1 F_u du; results y(x, u) change by y_u du + y_x
dx. What closes loops is found with them: x are these unknowns, too. Contacts that stick, slip or are open stay so. Of a
second solution F depends on the impulses of the first one, too; shorter steps follow one another, each of which begins
with the derivatives at the end of the one before. Griewank & Walther (2008), section 15.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument
from screwgraph.motion.simulation.contacts.laws.row_factors import factor_rows, solve_rows
from screwgraph.motion.simulation.contacts.laws.sweeps import choose_vector
from screwgraph.motion.simulation.contacts.steps.contact_step import FIRST, ContactStep
from screwgraph.motion.simulation.contacts.steps.energy_bound import EnergyBound
from screwgraph.motion.simulation.contacts.steps.jammed_contacts import JAMS
from screwgraph.motion.simulation.contacts.steps.loop_closing import OPENED
from screwgraph.motion.simulation.contacts.steps.loop_turning import TURN
from screwgraph.motion.simulation.contacts.steps.named_vectors import HELD, Expression
from screwgraph.motion.simulation.contacts.steps.shorter_steps import KEPT, MOVED, RESULTS, SHARES, SPLIT, WHOLE
from screwgraph.motion.simulation.contacts.steps.step_parts import PlainParts
from screwgraph.motion.simulation.contacts.steps.tangents import Directions, Tangents
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.tape import Code, Memory, Number, Part, Routine, SettledWhen, dot

BEGUN = "begun "
"""Before names of unknowns of a first solution, or of the only one, as those that vary."""
PUSHED = f"{FIRST}x"
"""The impulses of a first solution, on which a second one depends."""
LAWS = "F"
"""Velocities that are zero where laws hold, rates and gaps that are zero where loops are closed."""


@dataclass(frozen=True, eq=False)
class ContactSlopes:
    """Derivatives of a step with contacts, by any of its arguments; quaternions are any four numbers."""

    __repr__ = one_line

    model: TouchingModel
    efforts: StepEfforts

    def covers(self, by: Sequence[str]) -> bool:
        """Tell that it knows them all."""
        return True

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Routine:
        """Return the code of derivatives of all results by some arguments."""
        step = ContactStep(self.model, tuple(arguments), self.efforts, Memory())
        return StepSlopes(step, tuple(by)).routine()


@dataclass(frozen=True, eq=False)
class StepSlopes:
    """Parts of a step that make its derivatives by some arguments results."""

    __repr__ = one_line

    step: ContactStep
    by: tuple[str, ...]

    @cached_property
    def tangents(self) -> Tangents:
        """The derivatives of its vectors."""
        count = sum(len(a.names) for a in self.step.arguments if a.name in self.by)
        return Tangents(self.step.memory, count, sum(self._unknowns.values()))

    @property
    def _unknowns(self) -> dict[str, int]:
        """Sizes of what is found together: impulses, and what closes loops."""
        rows, closing = self.step.model.rows, self.step.closing
        return {"x": rows, **(dict.fromkeys(OPENED, closing.sizes["beta"]) if closing else {})}

    def routine(self) -> Routine:
        """Return the code: the step, and slopes beside it; the outputs are derivatives argument after argument."""
        whole, outputs, start = self.step.routine(self), list[int](), self.tangents.first
        sizes = {argument.name: len(argument.names) for argument in self.step.arguments}
        for name in self.by:
            rows = range(start, start + sizes[name])
            columns = [[p for result in RESULTS for p in self.tangents.row(result, k)] for k in rows]
            outputs += [place for row in zip(*columns, strict=True) for place in row]
            start += sizes[name]
        return replace(whole, outputs=tuple(outputs), likely=None)

    @property
    def _bounds(self) -> dict[str, int]:
        return EnergyBound(self.step.model, self.step.terms).sizes if self.step.model.whirls else {}

    def begin_slopes(self, given: Mapping[str, int]) -> tuple[Part, ...]:
        """Return what makes the directions: each number of an argument, each unknown."""
        tangents, memory, unknowns, m = self.tangents, self.step.memory, self._unknowns, self.tangents.first
        results = {name: len(memory.places(name)) for name in RESULTS}
        bounds = {name: size for name, size in self._bounds.items() if name not in memory.names}
        for name, size in {LAWS: m, **bounds, **{f"{FIRST}{name}": size for name, size in unknowns.items()}}.items():
            memory.add(name, size)
        own = {name: size for name, size in given.items() if name in self.by or (self.step.splits and name in MOVED)}
        shorter = {f"{WHOLE}{name}": given[name] for name in self.by} if self.step.splits else {}
        if self.step.splits:
            shorter |= {**{f"{KEPT}{name}": size for name, size in results.items()}, SPLIT: SHARES}
        zero = [
            tangents.add("d state", {**own, **shorter, **unknowns, PUSHED: unknowns["x"]}),
            tangents.add("d results", {LAWS: m, **results, **self._bounds}),
        ]
        if self.step.turning:
            zero.append(tangents.add("d turn", {TURN: self.step.turning.size}))
        for name in own:
            tangents.alias(f"{HELD}{name}", name)
        if "effort" in memory.names:
            zero.append(tangents.add("d efforts", {"effort": len(memory.places("effort"))}))
        ones, start = list[int](), 0
        seeds = {f"{WHOLE}{name}" if self.step.splits else name: given[name] for name in self.by}
        for name, size in (*unknowns.items(), *seeds.items()):
            ones += [tangents.row(name, start + k)[k] for k in range(size)]
            start += size
        memory.scatter("ones", ones)
        return *zero, memory.block("seed", [], ["ones"], lambda: [1.0] * len(ones))

    def make_parts(
        self, label: str, reads: Sequence[str], writes: Sequence[str], expression: Expression
    ) -> tuple[Part, ...]:
        """Return the parts of derivatives of an expression of vectors by name, then its own."""
        own = PlainParts(self.step.memory).make_parts(label, reads, writes, expression)
        return *self.tangents.list_parts(label, reads, writes, expression), *own

    def keep_first(self) -> tuple[Part, ...]:
        """Return what keeps unknowns of a first solution, where a second one follows."""
        return (self._keep("again", *self._pair_unknowns()),)

    def _pair_unknowns(self) -> tuple[list[str], list[str]]:
        """Return names of unknowns, and of those of a first solution."""
        return list(self._unknowns), [f"{FIRST}{name}" for name in self._unknowns]

    def _keep(self, flag: str, new: list[str], old: list[str]) -> Part:
        """Return what puts vectors in the place of unknowns of a first solution, as a flag says, else `old` ones."""

        def keep(test: Any, *vectors: Any) -> list[Number]:
            own, others = vectors[: len(new)], vectors[len(new) :]
            return choose_vector(test[0] > 0.5, [*chain(*own)], [*chain(*others)])

        return self.step.memory.block(f"keep {flag}", [flag, *new, *old], self._pair_unknowns()[1], keep)

    def list_slopes(self, names: Sequence[str]) -> tuple[Part, ...]:
        """Return what differentiates laws and results by impulses and arguments, then results by these."""
        memory, tangents = self.step.memory, self.tangents
        m, (unknowns, firsts) = tangents.first, self._pair_unknowns()
        for name, size in (("L", m * m), ("U", m * m)):
            memory.add(name, size)
        found, given = (
            [LAWS, *RESULTS, *self._bounds],
            [*names, "prepared", JAMS, *([SPLIT, f"{WHOLE}dt", TURN] if self.step.turning else [])],
        )
        rows = range(tangents.row(LAWS, 0).start, tangents.row(found[-1], 0).stop)
        memory.alias("by x", range(rows.start, rows.start + m * len(rows)))
        memory.alias("column", range(rows.start + m * len(rows), rows.start + (m + 1) * len(rows)))
        memory.alias("d first", tangents.row(PUSHED, m))
        factor = memory.block("factor", ["by x"], ["L", "U"], self.factor)
        prepare, whirls = self.step.search.yielding_parts(), self.step.model.whirls
        if whirls:  # where there was one solution alone, it was the first
            prepare += (self._keep("second", firsts, unknowns),)
        for name, first in zip(unknowns, firsts, strict=True):
            memory.alias(f"{BEGUN}{name}", memory.places(first if whirls else name))
            tangents.alias(f"{BEGUN}{name}", name)
        begun = [f"{BEGUN}{name}" for name in unknowns]
        others, every = given[len(names) :], Directions(tangents.arguments.numbers, frozenset(given))
        groups = [Directions(range(m), frozenset(begun)), *self._list_directions(others)]
        parts = tangents.list_parts("first", [*given, *begun], found, self.follow_first, [*groups, every])
        # Numbers of a shorter step depend on all arguments of the whole one.
        shorter = (SettledWhen(memory.places(SPLIT).start + 1, parts[-1:]),) if self.step.splits else ()
        first = (*parts[:-1], *shorter, factor, self._solve([]))
        if not whirls:
            return *prepare, *first
        reads = [*given, *unknowns, PUSHED, "second", *found]
        groups = [
            Directions(range(m), frozenset([*unknowns, *found])),
            replace(every, names=frozenset(reads) - {*unknowns}),
        ]
        parts = tangents.list_parts("second", reads, found, self.follow_second, groups)
        again = (*parts, factor, self._solve(["second"]))
        return *prepare, *first, SettledWhen(memory.places("second").start, again)

    def _list_directions(self, others: Sequence[str]) -> Iterator[Directions]:
        """Yield the directions of each argument in a whole step; vectors that are `others` depend on all."""
        start, sizes = self.tangents.first, {argument.name: len(argument.names) for argument in self.step.arguments}
        for name in self.by:
            yield Directions(range(start, start + sizes[name]), frozenset([name, *others]))
            start += sizes[name]

    def _solve(self, flags: list[str]) -> Part:
        """Return the loop over directions of arguments that solves for their impulses."""
        reads = ["L", "U", "by x", "column", "d first", *flags]
        block = self.step.memory.block("solve", reads, ["d first", "column"], self.solve)
        return self.tangents.loop([LAWS, *RESULTS, *self._bounds, PUSHED], [block], self.tangents.arguments.numbers)

    def follow_first(self, at: Mapping[str, Any]) -> list[Number]:
        """Return laws, results and vectors of the bound of a first solution, of arguments and impulses."""
        return self.step.follow({**at, **{name: at[f"{BEGUN}{name}"] for name in self._unknowns}})

    def follow_second(self, at: Mapping[str, Any]) -> list[Number]:
        """Return the same of a second solution, where there is one; else what they are."""
        old = [x for name in (LAWS, *RESULTS, *self._bounds) for x in at[name]]
        given = {name: vector for name, vector in at.items() if name not in self._bounds}
        return choose_vector(at["second"][0] > 0.5, self.step.follow(given), old)

    def factor(self, by_x: Any) -> list[Number]:
        """Return L below its unit diagonal, zero elsewhere, and U with the inverse of its diagonal, of F_x."""
        m = self.tangents.first
        height = len(by_x) // m
        L, U = factor_rows([[by_x[height * j + i] for j in range(m)] for i in range(m)])
        return [*(y for row in L for y in row), *(y for row in U for y in row)]

    def solve(self, L: Any, U: Any, by_x: Any, column: Any, before: Any, *second: Any) -> list[Number]:
        """Return the change of impulses along one direction, and of laws and results; what is not `second` stays."""
        m = self.tangents.first
        height = len(by_x) // m
        lost = solve_rows([L[m * i : m * i + m] for i in range(m)], [U[m * i : m * i + m] for i in range(m)], column)
        found = [
            *(-x for x in lost[: len(before)]),
            *column[:m],
            *(column[i] - dot(by_x[i::height], lost) for i in range(m, height)),
        ]
        return choose_vector(second[0][0] > 0.5, found, [*before, *column]) if second else found
