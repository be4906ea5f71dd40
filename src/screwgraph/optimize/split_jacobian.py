"""Derivatives of residuals by way of few numbers: the chain rule with the small matrices multiplied first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.optimize.templates import Split, column
from screwgraph.tape import Number, Row, Scalar, Tape, depends_on, hessian, jacobian, substituted
from screwgraph.tape.rows import lower_product, product, transposed, transposed_times

White = Callable[[np.ndarray], np.ndarray]
"""From a residual to another one: whitened, or the same."""


@dataclass(frozen=True, eq=False)
class Through:
    """A residual r(y) of numbers y of the unknowns.

    `slope` is the derivative of y by directions, `columns` of them, `numbers` are scalars in the place of y in
    `residual`.
    """

    y: Sequence[Number]
    slope: list[Row]
    columns: int
    is_linear: bool
    numbers: list[Scalar]
    residual: np.ndarray

    @classmethod
    def of(
        cls,
        parts: Split,
        tape: Tape,
        unknowns: Sequence[np.ndarray],
        parameters: Mapping[str, Any],
        seeds: Sequence[Row],
        columns: int,
    ) -> Through:
        """Return the parts of a residual of unknowns, whose derivatives by directions are `seeds`."""
        entries = [entry for x in unknowns for entry in x.ravel()]
        y = column(parts[0](*unknowns, **parameters)).tolist()
        slope = jacobian(y, entries, seeds)
        numbers = tape.inputs("y", (len(y),))
        is_linear = not depends_on([x for row in slope for x in row.values()], entries)
        return cls(y, slope, columns, is_linear, list(numbers), column(parts[1](numbers, **parameters)))

    def jacobian(self, white: White) -> list[Row]:
        """Return the Jacobian of the residual."""
        return product(self._at(jacobian(list(white(self.residual)), self.numbers)), self.slope)

    def normal(self, white: White) -> tuple[list[Row], list[Number]]:
        """Return the lower triangle of J'J, and J'r."""
        r, k = white(self.residual), len(self.numbers)
        J = jacobian(list(r), self.numbers)
        M, g = self._at(lower_product(J, J, k)), substituted(transposed_times(J, r, k), self._values)
        return self._outer(M), transposed_times(self.slope, g, self.columns)

    def curvature(self, weights: np.ndarray) -> list[Row]:
        """Return the second derivative of the weighted sum of residuals, lower triangle, where y is linear."""
        return self._outer(self._at(hessian(weights @ self.residual, self.numbers)))

    def _outer(self, lower: list[Row]) -> list[Row]:
        """Return the lower triangle of slope' M slope, of the lower triangle of M."""
        whole = [dict(row) for row in lower]
        for i, row in enumerate(transposed(lower, len(lower))):
            whole[i] |= row
        return lower_product(self.slope, product(whole, self.slope), self.columns)

    @property
    def _values(self) -> dict[Scalar, Number]:
        return dict(zip(self.numbers, self.y, strict=True))

    def _at(self, rows: list[Row]) -> list[Row]:
        values = iter(substituted([x for row in rows for x in row.values()], self._values))
        return [{j: next(values) for j in row} for row in rows]
