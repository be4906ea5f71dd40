"""Derivatives of residuals by way of few numbers: the chain rule with the small matrices multiplied first."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.optimize.template_wrappers import Split, flatten_residual
from screwgraph.tape import Number, Row, Scalar, Tape, depends_on, hessian, jacobian, substitute_scalars
from screwgraph.tape.sparse_rows import multiply_lower, multiply_rows, multiply_transposed, transpose_rows

White = Callable[[np.ndarray], np.ndarray]
"""From a residual to another one: whitened, or the same."""


@dataclass(frozen=True, eq=False)
class SplitResidual:
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
    def from_parts(
        cls,
        parts: Split,
        tape: Tape,
        unknowns: Sequence[np.ndarray],
        parameters: Mapping[str, Any],
        seeds: Sequence[Row],
        columns: int,
    ) -> SplitResidual:
        """Return the parts of a residual of unknowns, whose derivatives by directions are `seeds`."""
        entries = [entry for x in unknowns for entry in x.ravel()]
        y = flatten_residual(parts[0](*unknowns, **parameters)).tolist()
        slope = jacobian(y, entries, seeds)
        numbers = tape.inputs("y", (len(y),))
        is_linear = not depends_on([x for row in slope for x in row.values()], entries)
        return cls(y, slope, columns, is_linear, list(numbers), flatten_residual(parts[1](numbers, **parameters)))

    def jacobian(self, white: White) -> list[Row]:
        """Return the Jacobian of the residual."""
        return multiply_rows(self._multiply_rows(jacobian(list(white(self.residual)), self.numbers)), self.slope)

    def normal(self, white: White) -> tuple[list[Row], list[Number]]:
        """Return the lower triangle of J'J, and J'r."""
        r, k = white(self.residual), len(self.numbers)
        J = jacobian(list(r), self.numbers)
        M, g = (
            self._multiply_rows(multiply_lower(J, J, k)),
            substitute_scalars(multiply_transposed(J, r, k), self._values),
        )
        return self._outer(M), multiply_transposed(self.slope, g, self.columns)

    def curvature(self, weights: np.ndarray) -> list[Row]:
        """Return the second derivative of the weighted sum of residuals, lower triangle, where y is linear."""
        return self._outer(self._multiply_rows(hessian(weights @ self.residual, self.numbers)))

    def _outer(self, lower: list[Row]) -> list[Row]:
        """Return the lower triangle of slope' M slope, of the lower triangle of M."""
        whole = [dict(row) for row in lower]
        for i, row in enumerate(transpose_rows(lower, len(lower))):
            whole[i] |= row
        return multiply_lower(self.slope, multiply_rows(whole, self.slope), self.columns)

    @property
    def _values(self) -> dict[Scalar, Number]:
        return dict(zip(self.numbers, self.y, strict=True))

    def _multiply_rows(self, rows: list[Row]) -> list[Row]:
        values = iter(substitute_scalars([x for row in rows for x in row.values()], self._values))
        return [{j: next(values) for j in row} for row in rows]
