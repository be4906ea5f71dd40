"""Derivatives of a step with contacts, implicit on the active set: its impulses are found, then differentiated once.

The impulses x solve F(x, u) = 0, u the arguments, so that dx = -F_x^-1 F_u du; results y(x, u) change by y_u du + y_x
dx. Contacts that stick, slip or are open stay so. Griewank & Walther (2008), section 15.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument
from screwgraph.motion.simulation.contacts.laws.row_factors import factor_rows, solve_rows
from screwgraph.motion.simulation.contacts.steps.contact_step import ContactStep
from screwgraph.motion.simulation.contacts.terms.touching_model import TouchingModel
from screwgraph.motion.simulation.step_efforts import StepEfforts
from screwgraph.tape import Code, Memory, Number, Part, Routine, SideBySide, Window, dot, jacobian


@dataclass(frozen=True, eq=False)
class ContactSlopes:
    """Derivatives of a step with contacts, by any of its arguments; quaternions are any four numbers.

    Passages by which loops close are a fixed number, and differentiated as they are. Where a coordinate goes more than
    0.1 rad (m) in the step, derivatives are those of one whole step (`shorter_steps.py`) without a bound of its energy
    (`energy_bound.py`).
    """

    __repr__ = one_line

    model: TouchingModel
    efforts: StepEfforts

    def covers(self, by: Sequence[str]) -> bool:
        """Tell that it knows them all."""
        return True

    def jacobian(self, source: Code, arguments: Sequence[Argument], by: Sequence[str]) -> Routine:
        """Return the code of derivatives of all results by some arguments."""
        step = ContactStep(self.model, tuple(arguments), self.efforts, Memory(), is_whole=True)
        return SlopesRoutine(step, tuple(by)).routine()


@dataclass(frozen=True, eq=False)
class SlopesRoutine:
    """A step, and what differentiates its results after its impulses are found."""

    __repr__ = one_line

    step: ContactStep
    by: tuple[str, ...]
    sizes: dict[str, int] = field(default_factory=dict)

    def routine(self) -> Routine:
        """Return the code: the step without its end; slopes of laws and results; each direction's dx, and its results.

        "columns" holds, for each direction, F_u and y_u one after the other.
        """
        step, memory = self.step, self.step.memory
        whole, m = step.routine(), step.model.rows
        named = {a.name: a for a in step.arguments}
        count, ny = sum(len(named[name].names) for name in self.by), len(whole.outputs)
        height = m + ny
        for name, size in (("columns", count * height), ("by_x", m * height), ("L", m * m), ("U", m * m)):
            memory.add(name, size)
        given = [*named, "prepared", "x"]
        derive = memory.block("derive", given, ["columns", "by_x"], self.derive)
        factor = memory.block("factor", ["by_x"], ["L", "U"], self.factor)
        first = memory.places("columns").start
        memory.alias("column", range(first, first + height))
        solve = memory.block("solve", ["L", "U", "by_x", "column"], ["column"], self.solve)
        columns = SideBySide(count, (solve,), (Window(first, height, height),))
        parts: tuple[Part, ...] = (*whole.parts[: -step.ends], *step.search.yielding_parts(), derive, factor, columns)
        outputs, start = list[int](), 0
        for name in self.by:
            size = len(named[name].names)
            outputs += [first + height * j + m + i for i in range(ny) for j in range(start, start + size)]
            start += size
        return Routine(whole.input_names, whole.inputs, tuple(outputs), memory.size, parts)

    def derive(self, *vectors: Any) -> list[Number]:
        """Return the columns of F and y by the arguments, then by the impulses, those one after the other."""
        *given, prepared, x = vectors
        named = {a.name: vector for a, vector in zip(self.step.arguments, given, strict=True)}
        found = self.step.follow(named, list(prepared), list(x))
        directions = [v for name in self.by for v in named[name]]
        rows = jacobian(found, [*directions, *x])
        return [row.get(j, 0.0) for j in range(len(directions) + len(x)) for row in rows]

    def factor(self, by_x: Any) -> list[Number]:
        """Return L below its unit diagonal, zero elsewhere, and U with the inverse of its diagonal, of F_x."""
        m = self.step.model.rows
        height = len(by_x) // m
        L, U = factor_rows([[by_x[height * j + i] for j in range(m)] for i in range(m)])
        return [*(y for row in L for y in row), *(y for row in U for y in row)]

    def solve(self, L: Any, U: Any, by_x: Any, column: Any) -> list[Number]:
        """Return the impulses that are lost along one direction, -dx, and the change of results."""
        m = self.step.model.rows
        height = len(by_x) // m
        change = solve_rows([L[m * i : m * i + m] for i in range(m)], [U[m * i : m * i + m] for i in range(m)], column)
        return [*change, *(column[i] - dot(by_x[i::height], change) for i in range(m, height))]
