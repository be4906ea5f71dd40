"""A stage: a graph at one instant whose equations are eliminated, and the small quadratic program that is left."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np

from screwgraph.base.errors import EliminationError, InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    Order,
    Result,
    compile_expression,
    make_numbered_argument,
)
from screwgraph.elimination import cost
from screwgraph.graph import Factor, FactorGraph, Key
from screwgraph.optimize.active_set import QuadraticProgram
from screwgraph.optimize.dense_factors import ENDLESS, flag
from screwgraph.optimize.stage.chart import FREE, Chart, FreeFirst
from screwgraph.optimize.stage.free_unknowns import MOVED, find_free_unknowns
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Memory, Number, Part, Program, Routine, Row, When, dot, jacobian
from screwgraph.tape.program import split_outputs
from screwgraph.tape.sparse_rows import add_entry, list_entries

NOUGHT = "free unknowns"
"""The zeros at which terms are evaluated."""
PENALTY, STEP = 1e6, 100.0
"""Largest multiplier of an inequality of priority 0, in units of its bounds; by what it is multiplied for one more."""
UNBOUNDED = 1e300
"""Bound that is none."""
BEYOND = 1e200
"""Bound that an argument may have, above which there is none."""
MOST = 10
"""Passages of the active set at most, for each unknown and each row."""
NO_SENSE = 3.0
"""Status of a call whose arguments have no sense."""
FLAT = 1e-13
"""Eigenvalue of the cost's matrix, of the largest, below which soft factors do not determine what is free."""


@dataclass(frozen=True, eq=False)
class Stage:
    """A graph with inequalities, its knowns declared, and what is asked of it; x are the unknowns that are free."""

    __repr__ = one_line

    graph: FactorGraph
    solve: tuple[str | Key, ...]
    ordering: Order

    @property
    def costs(self) -> list[Factor]:
        """The factors that hold only nearly."""
        return [factor for factor in self.graph.factors if factor.sigma]

    @cached_property
    def exact(self) -> FactorGraph:
        """The graph of the equations alone."""
        return replace(self.graph, inequalities=()).without(*self.costs)

    @cached_property
    def charts(self) -> tuple[tuple[Chart, Program], ...]:
        """Free unknowns, and code of the terms: the usual chart, and one for states at which pivots of it vanish.

        Where contacts determine how legs move, they do not determine straight ones, nor some others: of the second one,
        efforts are free.
        """
        usual = self._compile_usual()
        if not usual[1].guarded:
            return (usual,)
        chart = replace(usual[0], free=tuple(find_free_unknowns(self.exact, MOVED)))
        if set(chart.free) == set(usual[0].free):
            return (usual,)
        with suppress(EliminationError):
            chart = replace(chart, ordering=FreeFirst(chart.short_order))
            return usual, (chart, self._compile(chart))
        return (usual,)

    def _compile_usual(self) -> tuple[Chart, Program]:
        """Return the usual chart; where pivots may vanish, in the order of fewer of them, or of fewer operations."""
        chart = Chart(self.exact, tuple(find_free_unknowns(self.exact)), self.touched_variables, self.ordering)
        made = [(chart, self._compile(chart))]
        if self.ordering == "auto" and made[0][1].guarded:
            with suppress(EliminationError):
                short = replace(chart, ordering=chart.short_order)
                made.append((short, self._compile(short)))
        return min(made, key=lambda pair: (len(pair[1].guarded), cost(pair[1])))

    @cached_property
    def asked_unknowns(self) -> list[tuple[str, tuple[Key, ...]]]:
        """The results by name, and the unknowns of each."""
        graph, found = self.graph, list[tuple[str, tuple[Key, ...]]]()
        for name in self.solve:
            keys = tuple(key for key in graph.select([name]) if key not in graph.known and graph.variables[key].dim)
            if not keys:
                is_given = {v.key for v in graph.inputs}.issuperset(graph.select([name]))
                says = "is given" if is_given else "follows from what is given"
                raise InputError(f"{str(name)!r} {says}", fix="name an unknown, `print(graph)` lists them")
            found.append((str(name), keys))
        return found

    @cached_property
    def touched_variables(self) -> tuple[Key, ...]:
        """Variables that costs, inequalities and results touch, but for those that are given."""
        factors = [*self.costs, *(one.factor for one in self.graph.inequalities)]
        given = {v.key for v in self.graph.inputs}
        keys = [*(key for _, own in self.asked_unknowns for key in own), *(key for f in factors for key in f.keys)]
        return tuple(key for key in dict.fromkeys(keys) if key not in given and self.graph.variables[key].dim)

    @property
    def given_arguments(self) -> tuple[Argument, ...]:
        """Arguments but for the last solution: inputs of the graph."""
        return self.charts[0][0].given_arguments

    @property
    def unknowns(self) -> int:
        """How many entries are free."""
        return len(self.charts[0][0].free)

    @property
    def rows(self) -> int:
        """How many inequalities there are."""
        return sum(one.factor.rows for one in self.graph.inequalities)

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Arguments of the function."""
        return (*self.given_arguments, make_numbered_argument("active", self.rows))

    @property
    def answers(self) -> tuple[Result, ...]:
        """The results that were asked for."""
        found = list[Result]()
        for name, keys in self.asked_unknowns:
            names = tuple(f"{key}[{i}]" for key in keys for i in range(self.graph.variables[key].dim))
            found.append(Result(name, (len(names),), names))
        return tuple(found)

    @property
    def results(self) -> tuple[Result, ...]:
        """Results of the function."""
        return (*self.answers, Result("active", (self.rows,)), Result("solution", (3,)))

    @property
    def question(self) -> tuple[object, ...]:
        """All that code depends on."""
        bounds = [(one.factor, one.lower, one.upper, one.priority) for one in self.graph.inequalities]
        return self.exact, self.costs, bounds, [keys for _, keys in self.asked_unknowns], repr(self.ordering)

    def find_shapes(self, n: int) -> dict[str, tuple[int, ...]]:
        """Return the terms of the quadratic program of n unknowns, and what its solution means: answers are S x + s."""
        m, k = self.rows, sum(result.size for result in self.answers)
        bounds = dict.fromkeys(("lower", "upper", "penalty"), (m,))
        return {"S": (k, n), "s": (k,), "H": (n * (n + 1) // 2,), "g": (n,), **bounds, "A": (m, n)}

    def _compile(self, chart: Chart) -> Program:
        """Return the code of the terms, one after the other, where x is zero; what does not vary is a number."""
        arguments = (*chart.given_arguments, make_numbered_argument(FREE.argument, len(chart.free)))

        def expression(*vectors: Any) -> list[Number]:
            named = dict(zip((a.name for a in arguments), vectors, strict=True))
            terms = self._make_terms(chart.list_values(named), list(named[FREE.argument]))
            return [x for term in terms.values() for x in term]

        question = (self.question, chart.free, repr(chart.ordering))
        code = compile_expression("stage_terms", question, arguments, expression, branches=True).program
        self._check_cost(chart, code)
        return code

    def _make_terms(self, values: Mapping[Key, Any], x: list[Number]) -> dict[str, list[Number]]:
        """Return the terms, given values of variables as functions of x, which is zero."""
        n = len(x)
        H: list[Row] = [{} for _ in range(n)]
        g: list[Number] = [0.0] * n
        for factor in self.costs:
            residual = list(factor.residual(values))
            for r, row, sigma in zip(residual, jacobian(residual, x), factor.sigma, strict=True):
                for i, a in row.items():
                    scaled = sigma**-2.0 * a
                    g[i] = g[i] + scaled * r
                    for j, b in row.items():
                        if j <= i:
                            add_entry(H[i], j, scaled * b)
        A, lower, upper, penalty = list[Row](), list[Number](), list[Number](), list[Number]()
        for one in self.graph.inequalities:
            residual = list(one.factor.residual(values))
            ends = [values[end] if isinstance(end, Key) else end for end in (one.lower, one.upper)]
            for r, row, *bounds in zip(residual, jacobian(residual, x), *ends, strict=True):
                low, up = (_clip(bound) for bound in bounds)
                share = 1.0 / maximum(1.0, maximum(_measure(low), _measure(up)))
                A.append({i: a * share for i, a in row.items()})
                lower.append(choose(low <= -BEYOND, -UNBOUNDED, (low - r) * share))
                upper.append(choose(up >= BEYOND, UNBOUNDED, (up - r) * share))
                penalty.append(PENALTY * STEP**one.priority)
        found = [entry for _, keys in self.asked_unknowns for key in keys for entry in values[key]]
        return {
            "S": list_entries(jacobian(found, x), n),
            "s": found,
            "H": [H[i].get(j, 0.0) for i in range(n) for j in range(i + 1)],
            "g": g,
            "lower": lower,
            "upper": upper,
            "penalty": penalty,
            "A": list_entries(A, n),
        }

    def _check_cost(self, chart: Chart, code: Program) -> None:
        """Raise EliminationError where soft factors do not determine what is free."""
        n, rng, flat = len(chart.free), np.random.default_rng(0), np.zeros(0)
        shapes = self.find_shapes(n)
        begin = prod(shapes["S"]) + prod(shapes["s"])
        for _ in range(3):
            outputs = code.on([*(x for argument in chart.given_arguments for x in _draw(argument, rng)), *np.zeros(n)])
            H = np.zeros((n, n))
            H[np.tril_indices(n)] = [float(x) for x in outputs[begin : begin + prod(shapes["H"])]]
            scale = 1.0 / np.sqrt(np.maximum(np.diag(H), np.finfo(float).tiny))
            values, vectors = np.linalg.eigh(scale[:, None] * H * scale, UPLO="L")
            if values[0] > FLAT * values[-1]:
                return
            flat = vectors[:, 0]
        names = [f"{key}[{i}]" for (key, i), share in zip(chart.free, flat, strict=True) if abs(share) > 0.1]
        raise EliminationError(
            f"soft factors do not determine {', '.join(names[:6])}",
            why="equations leave them free",
            fix="add a cost, such as sg.with_measurements(graph, 'qdd', sigma=1e3)",
        )

    def routine(self) -> Routine:
        """Return the code: terms, the quadratic program, and what its solution means."""
        memory, n, m = Memory(), self.unknowns, self.rows
        shapes = self.find_shapes(n)
        own = [a.name for a in self.given_arguments]
        for argument in self.given_arguments:
            memory.add(argument.name, len(argument.names))
        found = [f"result {result.name}" for result in self.answers]
        for name, result in zip(found, self.answers, strict=True):
            memory.add(name, result.size)
        for name in ("S", "s"):
            memory.add(name, prod(shapes[name]))
        memory.add(NOUGHT, n)
        outputs = split_outputs(self.charts[0][1], shapes)
        for _, code in self.charts[1:]:
            outputs = {
                name: tuple(_agree(a, b) for a, b in zip(outputs[name], entries, strict=True))
                for name, entries in split_outputs(code, shapes).items()
            }
        entries = outputs["A"]
        columns = [[j for j, x in enumerate(entries[n * i : n * i + n]) if isinstance(x, int) or x] for i in range(m)]
        program = QuadraticProgram(memory, n, columns, MOST * (n + m))
        program.allocate()

        def end(x: Any, solution: Any, S: Any, s: Any) -> list[Number]:
            S, s = (
                [v if isinstance(o, int) else o for o, v in zip(outputs[name], values, strict=True)]
                for name, values in (("S", S), ("s", s))
            )
            values = [dot(S[n * i : n * i + n], x) + s[i] for i in range(len(s))]
            is_finite = sum((abs(v) for v in values), start=0.0) < ENDLESS  # of motions too fast for numbers none
            status = choose(is_finite, solution[0], NO_SENSE)
            sound = status < NO_SENSE
            return [*(choose(sound, v, 0.0) for v in values), status, solution[1], choose(sound, solution[2], 0.0)]

        parts = (
            memory.block("nought", [], [NOUGHT], lambda: [0.0] * n),
            *self._write_terms(memory, [*own, NOUGHT], list(shapes)),
            *program.parts(),
            memory.block("end", ["x", "solution", "S", "s"], [*found, "solution"], end),
        )
        inputs = tuple(place for name in (*own, "active") for place in memory.places(name))
        results = tuple(place for name in (*found, "active'", "solution") for place in memory.places(name))
        arguments = tuple(name for argument in self.arguments for name in argument.names)
        return Routine(arguments, inputs, results, memory.size, parts)

    def _write_terms(self, memory: Memory, reads: list[str], writes: list[str]) -> Iterator[Part]:
        """Yield the parts that write the terms: in the usual chart, and in the other one where a pivot vanished."""
        (_, usual), *others = self.charts
        pivots = tuple(i for i, (operation, *_) in enumerate(usual.instructions) if operation == "guard")
        if not others:
            yield memory.placed("terms", usual, reads, writes)
            return
        memory.add("pivots", len(pivots))
        memory.add("vanished", 1)
        yield memory.placed("terms", replace(usual, outputs=(*usual.outputs, *pivots)), reads, [*writes, "pivots"])
        yield memory.block("vanish", ["pivots"], ["vanished"], lambda p: [1.0 - flag(sum(map(abs, p)) < ENDLESS)])
        yield When(memory.places("vanished").start, (memory.placed("other_terms", others[0][1], reads, writes),))


def _agree(a: float, b: float) -> float:
    """Return a number that terms have in both charts; else a place, which is none's."""
    return a if isinstance(a, float) and isinstance(b, float) and a == b else 0


def _clip(bound: Number) -> Number:
    """Return a bound that is finite; one that is no number stays what it is, and is judged by the program."""
    return choose(bound > UNBOUNDED, UNBOUNDED, choose(bound < -UNBOUNDED, -UNBOUNDED, bound))


def _measure(bound: Number) -> Number:
    """Return the size of a bound, 0 where there is none."""
    size = abs(bound)
    return choose(size < BEYOND, size, 0.0)


def _draw(argument: Argument, rng: np.random.Generator) -> list[float]:
    """Return random values of an argument."""
    if argument.spaces:
        return [float(x) for space in argument.spaces for x in space.random(rng)]
    return [float(x) for x in rng.standard_normal(len(argument.names))]
