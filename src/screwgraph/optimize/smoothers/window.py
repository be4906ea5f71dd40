"""The functions of a window of steps: a Gauss-Newton step, and moving on by one; each one piece of machine code."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.compiler import CompiledProgram
from screwgraph.optimize.kernel_cache import encode_expressions
from screwgraph.optimize.problem import Problem
from screwgraph.optimize.smoothers.square_factors import Columns, SquareFactors
from screwgraph.optimize.smoothers.symbolic_factors import factor_symbolically
from screwgraph.optimize.smoothers.unrolled_problem import (
    LinearisedFactor,
    ProblemExpressions,
    Unknown,
    UnrolledProblem,
    unroll_problem,
)
from screwgraph.spatial import maximum
from screwgraph.tape import Number, Row, reciprocal
from screwgraph.tape.sparse_rows import add_entry, dot_row, multiply_lower, multiply_transposed, scale_rows

Predict = Callable[..., Any]
"""From a step's unknowns, family by family, to those of the next: a sequence of as many."""


SPARSE = 20
"""How many times fewer operations unknowns take that only factors of their own step are on: those of a Klann leg."""


@dataclass(frozen=True, eq=False)
class Window:
    """A problem over W steps: families of W unknowns have one a step, families of one are shared by all.

    `pinned` holds the first step fast; else there is a quadratic prior on it and on what is shared: on the families
    that are `named`, by default all, and on those that factors between steps tie to the step before.
    """

    problem: Problem
    pinned: bool
    predict: Predict | None = None
    named: frozenset[str] | None = None

    def __post_init__(self) -> None:
        counts = {v.count for v in self.problem.families} - {1}
        if len(counts) != 1:
            raise InputError("a window needs families with one unknown a step", why=f"families have {sorted(counts)}")
        if self.problem.has_hard:
            raise InputError("a window does not support hard factors", fix="make them soft, with a small sigma")
        if any(f.refresh is not None for f in self.problem.factors):
            raise InputError("a window does not support tables", fix="solve the problem as a whole")
        for f in self.problem.factors:
            for steps in self._steps_of(f):
                if len(steps) > 1 and max(steps) - min(steps) > 1:
                    raise InputError(f"{f.name} connects steps that are not neighbours", fix="give steps more unknowns")
        if not self.pinned and (late := [f.name for f in self.problem.factors if self._goes_beyond(f)]):
            raise InputError(
                f"factors {late[0]} leave the window before the steps that they are on",
                why="they move on by one step at a time, and what is left of them must be a prior on the next step",
                fix="give all steps such a factor, or all but the first of a family",
            )

    @cached_property
    def steps(self) -> int:
        """Number of steps."""
        return max(v.count for v in self.problem.families)

    @cached_property
    def expressions(self) -> ProblemExpressions:
        """Symbols and residuals."""
        return ProblemExpressions(self.problem.layout, self.problem.factors)

    @cached_property
    def shared(self) -> list[Unknown]:
        """Unknowns that belong to no step."""
        return [(v.name, 0) for v in self.problem.families if v.count == 1]

    def of_step(self, step: int) -> list[Unknown]:
        """Return the unknowns of a step."""
        return [(v.name, step) for v in self.problem.families if v.count > 1]

    @cached_property
    def free(self) -> list[Unknown]:
        """Unknowns in the order in which they are eliminated: step by step, then what is shared."""
        steps = range(1 if self.pinned else 0, self.steps)
        return [*(key for step in steps for key in self._in_elimination_order(step)), *self.shared]

    def _in_elimination_order(self, step: int) -> list[Unknown]:
        """Return the unknowns of a step, what its own factors determine first."""
        own = self.of_step(step)
        return [
            *(key for key in reversed(own) if key[0] not in self._tied_families),
            *(k for k in own if k[0] in self._tied_families),
        ]

    @cached_property
    def _tied_families(self) -> frozenset[str]:
        """Families of a step that the prior or a factor ties to the step before."""
        if self.named is None:
            return frozenset(name for name, _ in self.of_step(0))
        found = set(self.named)
        for f in self.problem.factors:
            for k, steps in enumerate(self._steps_of(f)):
                if len(steps) > 1:
                    several = [a for a in f.arguments if a.variables.count > 1]
                    found |= {a.variables.name for a in several if a.indices[k if len(a) > 1 else 0] == max(steps)}
        return frozenset(found)

    @cached_property
    def operations(self) -> int:
        """Operations, roughly, of factoring J'J step by step; what a step's own factors determine is sparse."""
        shared = sum(self._manifold(key).dim for key in self.shared)
        own = sum(self._manifold(key).dim for key in self.of_step(0))
        tied = sum(self._manifold(key).dim for key in self.of_step(0) if key[0] in self._tied_families)
        apart = own * (own + shared) ** 2 - tied * (tied + shared) ** 2
        return (self.steps - self.pinned) * (tied * (tied + shared) ** 2 + apart // SPARSE) + shared**3

    @cached_property
    def held(self) -> list[Unknown]:
        """Unknowns of the prior."""
        return self.held_at(0) if not self.pinned else []

    def places_in_step(self, names: Collection[str]) -> list[int]:
        """Return the places of families' directions among those of a step."""
        found, start = list[int](), 0
        for family in (v for v in self.problem.families if v.count > 1):
            dim = family.manifold.dim
            found += range(start, start + dim) if family.name in names else []
            start += dim
        return found

    def held_at(self, step: int) -> list[Unknown]:
        """Return the unknowns that a prior on a step is about."""
        return [*(key for key in self.of_step(step) if key[0] in self._tied_families), *self.shared]

    @cached_property
    def held_size(self) -> int:
        """Directions of what the prior is about."""
        return sum(self._manifold(key).dim for key in self.held)

    @cached_property
    def prior_size(self) -> int:
        """Numbers of the prior: matrix row by row, vector, and the values where it was made."""
        values = sum(int(np.prod(self._manifold(key).shape)) for key in self.held)
        return self.held_size * (self.held_size + 1) + values

    @cached_property
    def leaving(self) -> dict[str, np.ndarray]:
        """By name, the places of factors that go with the first step: those that are on it, and the first of others.

        When the window moves on by a step, each factor takes the place of the one before it.
        """
        return {f.name: self._leaving_of(f) for f in self.problem.factors}

    def _leaving_of(self, f: Any) -> np.ndarray:
        steps = self._steps_of(f)
        there = {frozenset(of) for of in steps}
        return np.flatnonzero([bool(of) and frozenset(k - 1 for k in of) not in there for of in steps])

    def _goes_beyond(self, f: Any) -> bool:
        """Return whether a factor that leaves is on steps behind the second."""
        steps = self._steps_of(f)
        return any(max(steps[k]) > 1 for k in self.leaving[f.name])

    @cached_property
    def newton(self) -> CompiledProgram:
        """`newton_code` as machine code."""
        return self.newton_code.compile()

    @cached_property
    def newton_code(self) -> UnrolledProblem:
        """(x, p, prior, damping) -> moved values, cost at x, largest entry of the step."""
        more = [*self._extra, ("damping", (1,))]
        return unroll_problem("window_step", self.question, self.expressions, more, self._step_outputs)

    def _step_outputs(self) -> list[Any]:
        (damping,) = self.expressions.tape.inputs("damping", (1,))
        steps = range(1 if self.pinned else 0, self.steps)
        chosen = range(len(self.expressions.linearised_factors))
        left, reduced = self._squares.reduce(chosen, steps, self._columns, reciprocal(1.0 + damping))
        keys = [key for key in self.free if key[0] not in self._squares.families]
        H, g, cost = self._normal(left, keys)
        damped = [row | {i: row[i] + damping * row[i]} if i in row else row for i, row in enumerate(H)]
        order = [j for key in keys for j in self._columns[key]]
        step = dict(zip(order, factor_symbolically(damped).solve([-entry for entry in g]), strict=True))
        for one in reduced:
            one.complete(step)
        moved = dict(self.expressions.unknowns)
        for key in self.free:
            own = np.array([step[j] for j in self._columns[key]], dtype=object)
            moved[key] = self._manifold(key).retract(moved[key], own)
        cost = cost + sum((item.cost for item in self.expressions.linearised_factors), start=0.0)
        return [*moved.values(), cost, reduce(maximum, [abs(d) for d in step.values()])]

    @cached_property
    def _columns(self) -> Columns:
        """Numbers of the directions of all unknowns."""
        sizes = [self._manifold(key).dim for key in self.expressions.unknowns]
        ends = np.cumsum([0, *sizes]).tolist()
        return {
            key: range(end - n, end) for key, n, end in zip(self.expressions.unknowns, sizes, ends[1:], strict=True)
        }

    @cached_property
    def _squares(self) -> SquareFactors:
        """Factors that determine families of a step."""
        own = [name for name, _ in self._in_elimination_order(0) if name not in self._tied_families]
        return SquareFactors(self.expressions, own, self.steps)

    @cached_property
    def advance(self) -> CompiledProgram:
        """`advance_code` as machine code."""
        return self.advance_code.compile()

    @cached_property
    def advance_code(self) -> UnrolledProblem:
        """(x, p, prior) -> values moved on by one step, the prior on what is then the first, costs of what left."""
        return unroll_problem("window_advance", self.question, self.expressions, self._extra, self._advance_outputs)

    @cached_property
    def moving(self) -> CompiledProgram:
        """(x) -> values moved on by one step."""
        return unroll_problem(
            "window_move", self.question, self.expressions.without_parameters(), [], self._moved_on
        ).compile()

    @cached_property
    def question(self) -> object:
        """All that the code of this window follows from."""
        families = [(v.name, v.manifold, int(v.count)) for v in self.problem.families]
        factors = []
        for f in self.problem.factors:
            shapes = [(n, array.shape) for each in (f.shared, f.each) for n, array in each.items()]
            factors.append(
                (f.name, f.kernels.derivation.question, shapes, [(a.variables.name, a.indices) for a in f.arguments])
            )
        return (
            families,
            self.pinned,
            sorted(self._tied_families),
            factors,
            encode_expressions(self.expressions.tape, self._flat(self._moved_on())),
        )

    @staticmethod
    def _flat(arrays: Sequence[Any]) -> list[Number]:
        return [x for array in arrays for x in np.ravel(np.asarray(array, dtype=object)).tolist()]

    def _advance_outputs(self) -> list[Any]:
        return [*self._moved_on(), *([] if self.pinned else self._marginal())]

    def _moved_on(self) -> list[Any]:
        values = dict(self.expressions.unknowns)
        last = self.of_step(self.steps - 1)
        new = (
            [values[key] for key in last]
            if self.predict is None
            else self._predict_outputs([values[key] for key in last])
        )
        moved = dict(values)
        for key, value in zip(last, new, strict=True):
            moved[key] = value
        for step in range(self.steps - 1):
            for here, after in zip(self.of_step(step), self.of_step(step + 1), strict=True):
                moved[here] = values[after]
        return list(moved.values())

    @cached_property
    def _prior(self) -> tuple[np.ndarray, np.ndarray, list[np.ndarray]]:
        """Information, vector, and the values where they were made."""
        n, given = self.held_size, self.expressions.tape.inputs("prior", (self.prior_size,))
        shapes = [self._manifold(key).shape for key in self.held]
        ends = n * (n + 1) + np.cumsum([0, *(int(np.prod(shape)) for shape in shapes)])
        at = [given[a:b].reshape(shape) for a, b, shape in zip(ends, ends[1:], shapes, strict=False)]
        return given[: n * n].reshape(n, n), given[n * n : n * (n + 1)], at

    @property
    def _extra(self) -> list[tuple[str, tuple[int, ...]]]:
        return [] if self.pinned else [("prior", (self.prior_size,))]

    def _marginal(self) -> list[Any]:
        """Return the prior that is left when the first step goes: a Schur complement, where the values are now.

        Last come the costs there of the factors that leave, in the order of `leaving`.
        """
        gone, costs, start = list[int](), list[Number](), 0
        for f in self.problem.factors:
            own = (start + self.leaving[f.name]).tolist()
            costs.append(sum((self.expressions.linearised_factors[i].cost for i in own), start=0.0))
            gone, start = gone + own, start + len(f)
        going = [key for key in self._in_elimination_order(0) if key[0] not in self._squares.families]
        staying = self.held_at(1)
        left, _ = self._squares.reduce(gone, [0], self._columns)
        H, g, _ = self._normal(left, [*going, *staying])
        k = sum(self._manifold(key).dim for key in going)
        eliminated = factor_symbolically(H[:k])
        coupling = [{j: x for j, x in row.items() if j < k} for row in H[k:]]
        gains = [eliminated.solve([row.get(i, 0.0) for i in range(k)]) for row in coupling]
        moved = eliminated.solve(g[:k])
        n = len(coupling)
        information = np.zeros((n, n), dtype=object)
        for i in range(n):
            for j in range(i + 1):
                entry = H[k + i].get(k + j, 0.0) - dot_row(coupling[i], gains[j])
                information[i, j] = information[j, i] = entry
        vector = [g[k + i] - dot_row(coupling[i], moved) for i in range(n)]
        return [information, vector, *(self.expressions.unknowns[key] for key in staying), *costs]

    def _normal(
        self, factors: Sequence[LinearisedFactor], keys: Sequence[Unknown]
    ) -> tuple[list[Row], list[Number], Number]:
        """Return the lower triangle of J'J and J'r of factors and the prior, in the directions of `keys`.

        The cost of the prior comes with them.
        """
        ends = np.cumsum([0, *(self._manifold(key).dim for key in keys)]).tolist()
        where, size = dict(zip(keys, ends, strict=False)), ends[-1]
        H: list[Row] = [{} for _ in range(size)]
        g: list[Number] = [0.0] * size
        cost: Number = 0.0
        for item in factors:
            J = self._in_directions(item, where)
            r, weighted = item.residual, scale_rows(J, item.weight)
            for i, row in enumerate(multiply_lower(J, weighted, size)):
                for j, entry in row.items():
                    add_entry(H[i], j, entry)
            g = [a + b for a, b in zip(g, multiply_transposed(weighted, r, size), strict=True)]
        if self.held and set(self.held) <= set(keys) | set(self.shared):
            cost = cost + self._add_prior(H, g, where)
        return H, g, cost

    def _in_directions(self, item: LinearisedFactor, where: Mapping[Unknown, int]) -> list[Row]:
        """Return a factor's Jacobian by the directions of some unknowns, which begin at these places."""
        columns = [
            where[key] + i if key in where else None for key in item.unknowns for i in range(self._manifold(key).dim)
        ]
        kept = [{columns[j]: x for j, x in row.items()} for row in item.jacobian]
        return [{j: x for j, x in row.items() if j is not None} for row in kept]

    def _add_prior(self, H: list[Row], g: list[Number], where: Mapping[Unknown, int]) -> Number:
        """Add the prior to J'J and J'r, and return its cost."""
        information, vector, at = self._prior
        local = [
            self._manifold(key).difference(a, self.expressions.unknowns[key])
            for key, a in zip(self.held, at, strict=True)
        ]
        away = np.concatenate(local)
        places = [where[key] + i for key in self.held for i in range(self._manifold(key).dim)]
        pull = information @ away + vector
        for a, i in enumerate(places):
            g[i] = g[i] + pull[a]
            for b, j in enumerate(places):
                if j <= i:
                    add_entry(H[i], j, information[a, b])
        return 0.5 * (away @ (information @ away)) + vector @ away

    def _predict_outputs(self, last: list[Any]) -> list[Any]:
        assert self.predict is not None
        found = self.predict(*last)
        found = list(found) if isinstance(found, list | tuple) else [found]
        if len(found) != len(last):
            raise InputError(f"`predict` returned {len(found)} values", why=f"a step has {len(last)} unknowns")
        return found

    def _manifold(self, key: Unknown) -> Any:
        return next(v.manifold for v in self.problem.families if v.name == key[0])

    def _steps_of(self, factors: Any) -> list[set[int]]:
        """Return the steps that each factor is on."""
        found = []
        for k in range(len(factors)):
            several = [a for a in factors.arguments if a.variables.count > 1]
            found.append({int(a.indices[k if len(a) > 1 else 0]) for a in several})
        return found
