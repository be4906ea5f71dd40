"""A compiled function of arrays: shapes checked, any broadcasting over leading axes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.compiler.casadi_backend import casadi_function
from screwgraph.elimination import Dag
from screwgraph.errors import InputError
from screwgraph.tape import Operations, Program

REAL_KINDS = "biuf"
"""Kinds of NumPy arrays that are real numbers; text, objects and complex numbers are not."""


@dataclass(frozen=True)
class Argument:
    """An argument: `names` says what each of its numbers is, `shape` how they are arranged."""

    name: str
    shape: tuple[int, ...]
    names: tuple[str, ...]


@dataclass(frozen=True, eq=False)
class Function:
    """A function that elimination produced, called with arrays `(..., *shape)` that broadcast.

    `program` is its straight-line code, `dag` the elimination that it came from, `ordering` the name
    of the order (or its repr).
    """

    name: str
    arguments: tuple[Argument, ...]
    result_shape: tuple[int, ...]
    program: Program
    dag: Dag
    ordering: str

    def __call__(self, *values: Any) -> np.ndarray:
        """Evaluate for one state or for batches; NaN goes through.

        Raises:
            InputError: wrong number, shape or type of arguments.
        """
        if len(values) != len(self.arguments):
            raise InputError(
                f"{self.name} takes {len(self.arguments)} arguments ({self._signature()}), {len(values)} were given"
            )
        arrays = [_checked(value, argument, self.name) for value, argument in zip(values, self.arguments, strict=True)]
        batch = self._batch_shape(arrays)
        count = int(np.prod(batch, dtype=int))
        if count == 0:
            return np.zeros((*batch, *self.result_shape))
        columns = [
            np.broadcast_to(a, (*batch, *argument.shape)).reshape(count, -1).T
            for a, argument in zip(arrays, self.arguments, strict=True)
        ]
        result = np.array(self.casadi(*columns))
        return np.ascontiguousarray(result.T).reshape(*batch, *self.result_shape)

    def __repr__(self) -> str:
        result = "x".join(map(str, self.result_shape))
        return f"<{self.name}({self._signature()}) -> {result}, {self.operations.total} operations, {self.ordering}>"

    @property
    def operations(self) -> Operations:
        """Counts of + - * / sqrt sin cos in the compiled code."""
        return self.program.operations

    @cached_property
    def casadi(self) -> Any:
        """The same function as a `casadi.Function` of column vectors; a matrix result is a column, row by row."""
        return casadi_function(self.name, self.program, [(a.name, a.names) for a in self.arguments])

    def algorithm(self) -> str:
        """Print the elimination DAG as numbered assignments, like Algorithm 1 of paper 0."""
        return self.dag.algorithm()

    def _signature(self) -> str:
        return ", ".join(f"{a.name}: {'x'.join(map(str, a.shape))}" for a in self.arguments)

    def _batch_shape(self, arrays: Sequence[np.ndarray]) -> tuple[int, ...]:
        shapes = [a.shape[: a.ndim - len(g.shape)] for a, g in zip(arrays, self.arguments, strict=True)]
        try:
            return np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join(f"{g.name} {a.shape}" for g, a in zip(self.arguments, arrays, strict=True))
            raise InputError(
                f"{self.name}: the batches do not broadcast, {listed}", fix="give leading axes that NumPy can broadcast"
            ) from None


def _checked(value: Any, argument: Argument, function: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array(None)
    if array.dtype.kind not in REAL_KINDS:
        raise InputError(f"{function}: {argument.name} is not an array of real numbers")
    core = len(argument.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != argument.shape:
        expected = ", ".join(["...", *map(str, argument.shape)])
        raise InputError(
            f"{function}: {argument.name} has the shape {array.shape}, expected ({expected})",
            why=f"it holds {_listed(argument.names)}",
        )
    return array.astype(float, copy=False)


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= 4 else (*names[:3], "...", names[-1])) or "nothing"
