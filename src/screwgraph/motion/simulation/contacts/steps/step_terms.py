"""Code of the terms that a step with contacts begins with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import repeat
from typing import Any

import numpy as np

from screwgraph.base.summary import one_line
from screwgraph.compiler import Argument, compile_expression, make_numbered_argument
from screwgraph.motion.simulation.contacts.laws.active_rows import RowOrder, order_rows
from screwgraph.motion.simulation.contacts.laws.closed_inertia import ClosedInertia
from screwgraph.motion.simulation.contacts.laws.held_soles import SHARED, HeldSoles
from screwgraph.motion.simulation.contacts.laws.independent_velocities import keep_rows
from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.motion.simulation.contacts.laws.sweeps import choose_vector
from screwgraph.motion.simulation.contacts.steps.second_solution import PUSH
from screwgraph.motion.simulation.contacts.terms.touching_model import Known, TouchingModel
from screwgraph.tape import Block, Memory, Number, Program, Row, TreeFactor, dot
from screwgraph.tape.program import split_outputs
from screwgraph.tape.sparse_rows import is_zero, multiply_transposed

TERMS = {"ground": "planes", "parameters": "values"}
"""Names of a step's arguments in terms."""
INERTIA = ("factor", "pivots", "S", "K+", "S'MK+")
"""Terms by which impulses change velocities."""
KNOWN = ("J", "soles", "K", *INERTIA)
"""Terms that a second solution takes from the first one."""
CHANGED = ("free", "b", "drift", "arcs")
"""Terms that differ in a second solution."""


@dataclass(frozen=True, eq=False)
class Terms:
    """Code of a model's terms of a step: numbers that vary stand in a memory, constants do not."""

    __repr__ = one_line

    model: TouchingModel
    arguments: tuple[Argument, ...]
    first: Terms | None = None
    """Terms of the first solution, where these are of a second one: what does not depend on its impulses is theirs."""

    @cached_property
    def held(self) -> HeldSoles:
        """The rows that hold contacts."""
        return HeldSoles(self.model.soles, self.model.rows)

    @cached_property
    def kept(self) -> tuple[int, ...]:
        """The rows of loops that are not solved for."""
        return keep_rows(self.model.loop_blocks, len(self.model.free_velocities.loops))

    @cached_property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The terms, and the shape of each."""
        coupled, k, root = self.model.free_velocities, len(self.model.contacts), self.model.root
        n, r, soles = len(coupled.free), len(coupled.loops), self.model.soles
        m, kept = len(self.held.kept), len(self.kept)
        free = n - (r - kept)
        shapes = {
            "free": (n,),
            "gaps": (k,),
            "axes": (9 * k,),
            "rates": (k,),
            "J": (m, n),
            "factor": (free + kept, free + kept),
            "pivots": (free + kept,),
            "S": (n, free),
            "K+": (n, r),
            "S'MK+": (free, r),
            "K": (r, n),
            "b": (m,),
            "A": (root, root),
            "soles": (SHARED * len(soles), n),
            "drift": (SHARED * len(soles),),
            "places": (2 * sum(map(len, soles)),),
            "arcs": (2 * sum(map(len, soles)),),
            "rub": (sum(stop.rubs for stop in self.model.stop_rows) + len(self.model.rubbing),),
        }
        return shapes if self.first is None else {name: shapes[name] for name in CHANGED}

    @cached_property
    def code(self) -> Program:
        """The code of all terms, one after the other."""
        model = self.model

        def expression(*vectors: Any) -> list[Number]:
            named = {TERMS.get(a.name, a.name): vector for a, vector in zip(self.arguments, vectors, strict=True)}
            if self.first is not None:
                named["known"] = self.first.known(*(named.pop(name) for name in KNOWN))
            found = model.terms(**named)
            return [x for name in self.shapes for x in found[name]]

        question = ("contact terms", tuple(a.name for a in self.arguments), *model.question)
        return compile_expression("contact_terms", question, self.arguments, expression).program

    @cached_property
    def _outputs(self) -> dict[str, tuple[int | float, ...]]:
        return split_outputs(self.code, self.shapes)

    def add_to(self, memory: Memory, efforts: str) -> Block:
        """Allocate what varies; return the part that computes it, with `efforts` as tau."""
        names = list(self.shapes)
        for name in names:
            if name not in memory.names:
                memory.add(name, sum(isinstance(o, int) for o in self._outputs[name]))
        varying = tuple(o for name in names for o in self._outputs[name] if isinstance(o, int))
        code = Program(self.code.input_names, self.code.instructions, varying)
        return memory.placed("terms", code, [efforts if a.name == "tau" else a.name for a in self.arguments], names)

    def renew(self, memory: Memory, efforts: str, test: str) -> Block:
        """Return the part that puts terms of a second solution in the place of these, where `test` is not zero.

        They push with the impulses x that the first one gave.
        """
        names = list(CHANGED)
        given = [efforts if a.name == "tau" else a.name for a in self.arguments]

        def expression(again: Any, x: Any, *vectors: Any) -> list[Number]:
            at = dict(zip([*(a.name for a in self.arguments), *KNOWN], vectors, strict=False))
            after = self.evaluate_second(at, x)
            before = [x for vector in vectors[len(given) + len(KNOWN) :] for x in vector]
            return choose_vector(again[0] > 0.5, [x for name in names for x in after[name]], before)

        return memory.block("renew", [test, "x", *given, *KNOWN, *names], names, expression)

    def evaluate_second(self, at: Mapping[str, Any], x: Numbers) -> dict[str, list[Number]]:
        """Return what varies of terms of a second solution, of arguments and terms of the first one, and its x."""
        known = [make_numbered_argument(name, len(at[name])) for name in KNOWN]
        own = [*self.arguments, make_numbered_argument(PUSH, self.model.rows), *known]
        second = Terms(self.model, tuple(own), self)
        terms = second.evaluate({**at, PUSH: [y / at["dt"][0] for y in x]})
        return {name: self.varying(name, second.full(name, terms[name])) for name in CHANGED}

    def known(self, J: Numbers, soles: Numbers, K: Numbers, *inertia: Numbers) -> Known:
        """Return what a second solution has of this one, of what varies."""
        return Known(self.inertia(*inertia), self.rows("K", K), self.rows("J", J), self.rows("soles", soles))

    def varying(self, name: str, numbers: Sequence[Number]) -> list[Number]:
        """Return those numbers of a whole term that vary."""
        return [x for x, output in zip(numbers, self._outputs[name], strict=True) if isinstance(output, int)]

    def evaluate(self, given: Mapping[str, Any]) -> dict[str, list[Number]]:
        """Return what varies of each term, of numbers of any kind."""
        numbers = iter(self.code.on([x for argument in self.arguments for x in given[argument.name]]))
        found = {name: list(zip(outputs, numbers, strict=False)) for name, outputs in self._outputs.items()}
        return {name: [x for output, x in pairs if isinstance(output, int)] for name, pairs in found.items()}

    def full(self, name: str, varying: Iterable[Number]) -> list[Number]:
        """Return a term of what varies in it."""
        numbers = iter(varying)
        return [next(numbers) if isinstance(o, int) else o for o in self._outputs[name]]

    def rows(self, name: str, varying: Iterable[Number]) -> list[Row]:
        """Return a matrix as sparse rows."""
        (height, width), numbers = self.shapes[name], iter(self.full(name, varying))
        return [{j: x for j in range(width) if not is_zero(x := next(numbers))} for _ in range(height)]

    def full_rows(self, J: Iterable[Number], soles: Iterable[Number], places: Iterable[Number]) -> list[Row]:
        """Return the Jacobian of all rows of the model, of what varies in these terms."""
        return self.held.expand_rows(self.rows("J", J), self.rows("soles", soles), self.full("places", places))

    def push(self, x: Any, J: Any, soles: Any, places: Any) -> list[Number]:
        """Return J' x: what impulses of all rows are by free velocities."""
        return multiply_transposed(self.full_rows(J, soles, places), x, len(self.model.free_velocities.free))

    def full_velocities(self, b: Iterable[Number], drift: Iterable[Number], places: Iterable[Number]) -> list[Number]:
        """Return velocities without impulses of all rows of the model."""
        return self.held.expand(self.full("b", b), self.full("drift", drift), self.full("places", places))

    def read_axes(self, axes: Iterable[Number]) -> list[list[list[Number]]]:
        """Return the three axes of each contact."""
        numbers = self.full("axes", axes)
        return [[numbers[i + 3 * r : i + 3 * r + 3] for r in range(3)] for i in range(0, len(numbers), 9)]

    def read_impulses(self, dt: Any, forces: Any, axes: Any) -> list[Number]:
        """Return the impulses of the step before; of stops and friction, zero."""
        found = [dt[0] * dot(a, forces[3 * c : 3 * c + 3]) for c, own in enumerate(self.read_axes(axes)) for a in own]
        return [*found, *[0.0] * (self.model.rows - len(found))]

    def pattern(self, name: str) -> list[list[int]]:
        """Return the columns of each row of a matrix that are not zero."""
        return [list(row) for row in self.rows(name, repeat(1.0))]

    @cached_property
    def order(self) -> RowOrder:
        """The order in which contacts' rows are eliminated, as a random state tells."""
        rng = np.random.default_rng(0)
        at = self.evaluate({a.name: (a.size * rng.normal(size=len(a.names))).tolist() for a in self.arguments})
        n = len(self.model.free_velocities.free)
        loops, own, soles = (
            np.array([[row.get(j, 0.0) for j in range(n)] for row in self.rows(name, at[name])]).reshape(-1, n)
            for name in ("K", "J", "soles")
        )
        return order_rows(np.concatenate([own, soles]), self.model.root, loops)

    def factors(self, factor: Numbers, pivots: Numbers) -> TreeFactor:
        """Return the factors of the mass matrix, with rows of loops that are kept, of what varies in these terms."""
        return TreeFactor(self.rows("factor", factor), self.full("pivots", pivots))

    def inertia(self, factor: Numbers, pivots: Numbers, *closing: Numbers) -> ClosedInertia:
        """Return the factors of the mass matrix and of loops, of what varies in these terms, `INERTIA`."""
        S, inverse, pushed = (self.rows(name, own) for name, own in zip(INERTIA[2:], closing, strict=True))
        return ClosedInertia(self.factors(factor, pivots), self.model.root, S, inverse, pushed, self.kept)
