"""What plans for a problem cost: eliminated, made straight-line code, and judged by the cost model."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from screwgraph.base.progress_report import report_progress
from screwgraph.compiler.passes import finish_code
from screwgraph.compiler.problem.problem import Problem
from screwgraph.elimination import (
    Elimination,
    Equations,
    Ordering,
    Plan,
    as_groups,
    cost,
    eliminate_rows,
    equations,
)
from screwgraph.graph import FactorGraph, Key
from screwgraph.tape import Mark, Program, program

WASTE = 2.5
"""How many values elimination may write an operation of finished code: 0.9 to 1.7 (arms, A1, humanoid, chains)."""


class _GivenUpError(Exception):
    """An order cannot win any more."""


@dataclass(frozen=True, eq=False)
class PlanTrials:
    """A problem's equations, after all passes, on which plans are tried one after the other."""

    problem: Problem

    @cached_property
    def graph(self) -> FactorGraph:
        """The graph that passes made."""
        return self.problem.graph(self.problem.passes)

    @property
    def owner(self) -> dict[Key, int]:
        """The number of the link that each unknown belongs to."""
        return {v.key: v.index for v in self.graph.unknowns}

    @property
    def laws(self) -> tuple[str, ...]:
        """The names of the laws that a group of unknowns may prefer: those whose rows are conjugate to some."""
        return tuple(dict.fromkeys(f.template.name for f in self.graph.factors if f.template.conjugate))

    def plan(self, ordering: Ordering) -> Plan:
        """Return the plan that an order is."""
        return tuple(as_groups(ordering, self.graph))

    def costs(self, plans: Sequence[Plan]) -> Iterator[float]:
        """Yield what each plan costs; infinite where it fails, or divides by what may vanish."""
        for plan in plans:
            elimination = self.eliminate(plan)
            yield math.inf if elimination is None else cost(self.code(elimination))

    def eliminate(self, plan: Plan, best: float = math.inf) -> Elimination | None:
        """Eliminate by a plan; None where it fails, or divides by what may vanish. It ends the one before.

        It is given up, too, where what it writes can hardly cost less than the `best` of the others.
        """
        system, mark = self._equations
        system.tape.restore(mark)

        def watch() -> None:
            if len(system.tape.nodes) - mark.length > WASTE * best:
                raise _GivenUpError

        try:
            elimination = eliminate_rows(system.rows, plan, watch)
        except _GivenUpError:
            return None
        failed = elimination.undetermined or elimination.unsafe_pivots or elimination.left
        return None if failed else elimination

    def code(self, elimination: Elimination, inputs: Sequence[str] | None = None) -> Program:
        """Return the code that an elimination gives, of the last plan that was eliminated."""
        report_progress("writing straight-line code")
        solution, (system, _) = elimination.solve(), self._equations
        return finish_code(program(system.tape, self.problem.outputs(self.graph, system, solution), inputs))

    @cached_property
    def _equations(self) -> tuple[Equations, Mark]:
        system = equations(self.graph)
        return system, system.tape.mark()


def evaluate_plans(problem: Problem, plans: Sequence[Plan]) -> list[float]:
    """Return what plans cost, in a process of its own: problem and plans can be sent there."""
    return list(PlanTrials(problem).costs(plans))
