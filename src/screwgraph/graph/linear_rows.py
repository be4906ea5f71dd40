"""Linear rows of a factor: its law evaluated on numbers that remember how they depend on the unknowns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import EliminationError
from screwgraph.base.summary import one_line
from screwgraph.graph.factor import Factor
from screwgraph.graph.variable import Key, Variable
from screwgraph.tape import Number, is_zero

Column = tuple[Key, int]
"""One scalar of a variable."""


@dataclass(frozen=True, eq=False)
class Row:
    """One linear equation: sum of terms[column] * column + constant = 0; `factor` and `number` say where it is from."""

    __repr__ = one_line

    terms: Mapping[Column, Number]
    constant: Number
    factor: Factor
    number: int


def linear_rows(factor: Factor, values: Mapping[Key, Any], variables: Mapping[Key, Variable]) -> list[Row]:
    """Return the equations of a factor, in the variables that `values` does not give.

    Raises:
        EliminationError: the law turns out to be nonlinear in its unknowns.
    """
    arguments = {key: values[key] if key in values else _unknown_vector(variables[key]) for key in factor.keys}
    try:
        with np.errstate(all="ignore"):  # at some sample of a tape, functions of positions may have no value
            residual = factor.residual(arguments)
    except _NonlinearError as e:
        raise EliminationError(f"{factor.name!r} multiplies unknowns, {e}", why="it is not linear in them") from e
    return [_row(entry, factor, number) for number, entry in enumerate(residual)]


class Affine:
    """A number that depends linearly on unknowns: sum of terms[column] * column + constant."""

    __slots__ = ("constant", "terms")

    def __init__(self, terms: dict[Column, Number], constant: Number) -> None:
        self.terms, self.constant = terms, constant

    def __add__(self, other: Any) -> Affine:
        if not isinstance(other, Affine):
            return Affine(self.terms, self.constant + other)
        terms = dict(self.terms)
        for column, coefficient in other.terms.items():
            terms[column] = terms[column] + coefficient if column in terms else coefficient
        return Affine(terms, self.constant + other.constant)

    __radd__ = __add__

    def __neg__(self) -> Affine:
        return Affine({column: -c for column, c in self.terms.items()}, -self.constant)

    def __sub__(self, other: Any) -> Affine:
        return self + (-other)

    def __rsub__(self, other: Any) -> Affine:
        return -self + other

    def __mul__(self, other: Any) -> Any:
        if isinstance(other, Affine):
            raise _NonlinearError(f"{next(iter(self.terms))[0]} and {next(iter(other.terms))[0]}")
        if is_zero(other):
            return 0.0
        return Affine({column: c * other for column, c in self.terms.items()}, self.constant * other)

    __rmul__ = __mul__


class _NonlinearError(ArithmeticError):
    """A product of two unknowns."""


def _unknown_vector(variable: Variable) -> np.ndarray:
    entries = np.empty(variable.dim, dtype=object)
    for i in range(variable.dim):
        entries[i] = Affine({(variable.key, i): 1.0}, 0.0)
    return entries


def _row(entry: Any, factor: Factor, number: int) -> Row:
    if not isinstance(entry, Affine):
        return Row({}, entry, factor, number)
    return Row({column: c for column, c in entry.terms.items() if not is_zero(c)}, entry.constant, factor, number)
