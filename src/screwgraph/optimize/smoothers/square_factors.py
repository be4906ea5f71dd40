"""Factors as long as one of their unknowns: they determine it by the others, and normal equations are without it.

A factor r + A dx + B dy, A square, of which u is left with variances V, gives dx = A^-1 (u - r - B dy). Other factors
s + C dx + D dy are then s - C A^-1 r + C A^-1 u + (D - C A^-1 B) dy: few rows, on fewer unknowns, whose covariance is
1 + C A^-1 V A^-T C'. This is the same least-squares problem, by solutions with A instead of products A'A.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from screwgraph.optimize.factors import Factors
from screwgraph.optimize.smoothers.symbolic_factors import (
    SymbolicFactors,
    TriangularBlocks,
    factor_symbolically,
)
from screwgraph.optimize.smoothers.unrolled_problem import (
    LinearisedFactor,
    ProblemExpressions,
    Unknown,
    unknowns_of,
)
from screwgraph.optimize.whitening import WHITENING
from screwgraph.spatial import sqrt
from screwgraph.tape import Number, Row
from screwgraph.tape.sparse_rows import add_entry

Columns = Mapping[Unknown, range]
"""Numbers of the directions of each unknown of a problem."""


@dataclass(frozen=True, eq=False)
class SquareFactors:
    """Factors that determine some of the families `own`, which no factor ties to the step before, in their order.

    Each step has one such factor; its other factors have fewer rows on that family than it has directions.
    """

    expressions: ProblemExpressions
    own: Sequence[str]
    steps: int

    @cached_property
    def families(self) -> dict[str, tuple[int, ...]]:
        """By family the places of its factors, step by step, among all of the problem."""
        found, taken = dict[str, tuple[int, ...]](), set[str]()
        for family in self.own:
            touching = [f for f in self.expressions.factors if family in _names(f)]
            for f in touching:
                others = [g for g in touching if g is not f and self._place(g) not in map(min, found.values())]
                rows = sum(g.rows * -(-len(g) // self.steps) for g in others)
                if f.name in taken or rows >= f.rows or not all(map(_is_within_steps, others)):
                    continue
                if (places := self._determining(f, family)) is not None:
                    found[family] = places
                    taken |= {g.name for g in touching}
                    break
        return found

    def reduce(
        self, chosen: Sequence[int], steps: Sequence[int], columns: Columns, part: Number = 1.0
    ) -> tuple[list[LinearisedFactor], list[ReducedStep]]:
        """Return chosen factors without unknowns of some steps that square factors determine, and how these follow.

        Residuals of square factors count times `part`.
        """
        listed, left = self.expressions.linearised_factors, list(chosen)
        rows, found = list[LinearisedFactor](), list[ReducedStep]()
        for step in steps if self.families else ():
            squares = list[SquareFactor]()
            for family, places in self.families.items():
                left.remove(places[step])
                f, k = self._groups[places[step]]
                item, variances = self.expressions.linearise(f, k, white=False), self.expressions.variances(f, k)
                squares.append(SquareFactor.make(item, variances, columns[family, step], columns, part))
            own = {(family, step) for family in self.families}
            on = [i for i in left if own & set(listed[i].unknowns)]
            left = [i for i in left if i not in on]
            found.append(reduce_step(squares, [listed[i] for i in on], columns))
            rows += found[-1].list_factors(columns)
        return [listed[i] for i in left] + rows, found

    @cached_property
    def _groups(self) -> list[tuple[Factors, int]]:
        """Of each factor its group, and its number there."""
        return [(f, k) for f in self.expressions.factors for k in range(len(f))]

    def _place(self, f: Factors) -> int:
        return next(i for i, (group, _) in enumerate(self._groups) if group is f)

    def _determining(self, f: Factors, family: str) -> tuple[int, ...] | None:
        """Return the places of factors as long as a family, each on its unknown of one step; None where there is none.

        Their Jacobians by these are not singular whatever the entries.
        """
        dim = next(a.variables.manifold.dim for a in f.arguments if a.variables.name == family)
        is_plain = f.loss is None and WHITENING not in {*f.shared, *f.each} and _is_within_steps(f)
        unknowns = [next(i for name, i in unknowns_of(f, k) if name == family) for k in range(len(f))]
        if not is_plain or f.rows != dim or sorted(unknowns) != list(range(self.steps)):
            return None
        start = sum(a.variables.manifold.dim for a in f.arguments[: _names(f).index(family)])
        item = self.expressions.linearise(f, 0, white=False)
        if TriangularBlocks.of_rows(_select_columns(item.jacobian, range(start, start + dim))) is None:
            return None
        return tuple(self._place(f) + k for k in np.argsort(unknowns).tolist())


def _names(f: Factors) -> list[str]:
    return [a.variables.name for a in f.arguments]


def _is_within_steps(f: Factors) -> bool:
    """Return whether each of some factors is on unknowns of one step, and on what all steps share."""
    several = [a for a in f.arguments if a.variables.count > 1]
    return all(len({int(a.indices[k if len(a) > 1 else 0]) for a in several}) == 1 for k in range(len(f)))


def _select_columns(rows: Sequence[Row], columns: range) -> list[Row]:
    """Return some columns of a matrix, the first of them as number 0."""
    return [{j - columns.start: x for j, x in row.items() if j in columns} for row in rows]


@dataclass(frozen=True, eq=False)
class SquareFactor:
    """r + A dx + B dy: the columns of x, r, A, B by columns of the problem, and the variances of its rows."""

    columns: range
    residual: Sequence[Number]
    matrix: TriangularBlocks
    others: Sequence[Row]
    variances: Sequence[Number]

    @classmethod
    def make(
        cls, item: LinearisedFactor, variances: Sequence[Number], own: range, columns: Columns, part: Number
    ) -> SquareFactor:
        """Return what a factor that is not whitened says of the unknown of columns `own`, its residual times `part`."""
        rows = list_rows(item, columns)
        matrix = TriangularBlocks.of_rows(_select_columns(rows, own))
        assert matrix is not None, "_determining has asked"
        others = [{j: x for j, x in row.items() if j not in own} for row in rows]
        return cls(own, [part * r for r in item.residual], matrix, others, variances)


@dataclass(frozen=True, eq=False)
class ReducedStep:
    """Rows s + D dy that are left of a step's factors, of covariance S, and what determines its other unknowns.

    `squares` come with C A^-1 of each row, in the order in which they were used.
    """

    squares: Sequence[tuple[SquareFactor, Sequence[Row]]]
    rows: Sequence[Row]
    residual: Sequence[Number]
    covariance: SymbolicFactors

    def list_factors(self, columns: Columns) -> list[LinearisedFactor]:
        """Return independent rows, as one factor each, whose costs are told by the factors that they are left of."""
        rows, residual, found = [dict(row) for row in self.rows], list(self.residual), list[LinearisedFactor]()
        for i, before in enumerate(self.covariance.lower):
            for k, x in before.items():
                residual[i] = residual[i] - x * residual[k]
                for j, entry in rows[k].items():
                    add_entry(rows[i], j, -(x * entry))
            unknowns = tuple(key for key, own in columns.items() if any(j in rows[i] for j in own))
            places = {j: k for k, j in enumerate(j for key in unknowns for j in columns[key])}
            jacobian = [{places[j]: x for j, x in rows[i].items()}]
            r = np.array([residual[i]], dtype=object)
            found.append(LinearisedFactor(r, self.covariance.inverse[i], 0.0, unknowns, jacobian))
        return found

    def complete(self, step: dict[int, Number]) -> None:
        """Add the directions of the other unknowns to those of the unknowns that rows are on, by column."""
        off = [r + _product(row, step) for r, row in zip(self.residual, self.rows, strict=True)]
        pull = self.covariance.solve(off)
        for square, responses in reversed(self.squares):
            right = [-(r + _product(row, step)) for r, row in zip(square.residual, square.others, strict=True)]
            for response, force in zip(responses, pull, strict=True):
                for k, x in response.items():
                    right[k] = right[k] - square.variances[k] * (x * force)
            step.update(zip(square.columns, square.matrix.solve(right), strict=True))


def reduce_step(squares: Sequence[SquareFactor], factors: Sequence[LinearisedFactor], columns: Columns) -> ReducedStep:
    """Return what is left of factors on a step's unknowns when square ones, in this order, have determined these."""
    rows, residual = list[Row](), list[Number]()
    for item in factors:
        root = 1.0 if isinstance(item.weight, float) and item.weight == 1.0 else sqrt(item.weight)
        rows += [{j: root * x for j, x in row.items()} for row in list_rows(item, columns)]
        residual += [root * r for r in item.residual]
    covariance, used = [{i: 1.0} for i in range(len(rows))], list[tuple[SquareFactor, list[Row]]]()
    for square in squares:
        responses = [square.matrix.solve_transposed(row) for row in _select_columns(rows, square.columns)]
        for i, response in enumerate(responses):
            rows[i] = {j: x for j, x in rows[i].items() if j not in square.columns}
            for k, x in response.items():
                residual[i] = residual[i] - x * square.residual[k]
                for j, entry in square.others[k].items():
                    add_entry(rows[i], j, -(x * entry))
                for m, other in enumerate(responses[: i + 1]):
                    if k in other:
                        add_entry(covariance[i], m, x * (square.variances[k] * other[k]))
        used.append((square, responses))
    return ReducedStep(used, rows, residual, factor_symbolically(covariance))


def list_rows(item: LinearisedFactor, columns: Columns) -> list[Row]:
    """Return a factor's Jacobian by the columns of a problem."""
    places = [j for key in item.unknowns for j in columns[key]]
    return [{places[j]: x for j, x in row.items()} for row in item.jacobian]


def _product(row: Row, step: Mapping[int, Number]) -> Number:
    """Return a row times a step by column; what the step leaves out is held fast."""
    return sum((x * step[j] for j, x in row.items() if j in step), start=0.0)
