"""A compiled function of arrays: shapes checked, any broadcasting over leading axes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from screwgraph.compiler.c_source import c_header, c_source
from screwgraph.compiler.casadi_backend import casadi_function
from screwgraph.compiler.derivatives import jacobian
from screwgraph.compiler.llvm import gufunc, llvm_source
from screwgraph.elimination import Dag
from screwgraph.errors import InputError
from screwgraph.robot import JointType, unknown
from screwgraph.tape import Operations, Program

REAL_KINDS = "biuf"
"""Kinds of NumPy arrays that are real numbers; text, objects and complex numbers are not."""


@dataclass(frozen=True)
class Argument:
    """An argument: `names` says what each of its numbers is, `shape` how they are arranged.

    `spaces` are the joint types of positions, in order; empty for plain vectors.
    """

    name: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    spaces: tuple[JointType, ...] = ()

    @property
    def tangent_size(self) -> int:
        """Number of directions in which it can change."""
        return sum(space.nv for space in self.spaces) if self.spaces else len(self.names)


@dataclass(frozen=True, eq=False)
class Origin:
    """What code was made of, computed when somebody asks.

    `plain` makes the elimination of the robot as it is, in the same order; `savings` counts operations before any pass,
    and after each.
    """

    plain: Callable[[], Dag]
    savings: Callable[[], Mapping[str, int]]


@dataclass(frozen=True, eq=False)
class Function:
    """A function that elimination produced, called with arrays `(..., *shape)` that broadcast.

    `program` is its straight-line code, `ordering` the name of the order that it came from. Machine code is
    made at the first call.
    """

    name: str
    arguments: tuple[Argument, ...]
    result_shape: tuple[int, ...]
    program: Program
    ordering: str
    origin: Origin

    def __call__(self, *values: Any, out: np.ndarray | None = None) -> np.ndarray:
        """Evaluate for one state or for batches; NaN and infinity go through, with NumPy's floating-point warnings.

        Raises:
            InputError: wrong number, shape or type of arguments.
        """
        if len(values) != len(self.arguments):
            raise InputError(
                f"{self.name} takes {len(self.arguments)} arguments ({self._signature()}), {len(values)} were given"
            )
        try:
            return self.ufunc(*values) if out is None else self.ufunc(*values, out=out)
        except (TypeError, ValueError):
            self._explain(values)
            raise

    @cached_property
    def ufunc(self) -> np.ufunc:
        """The function as a NumPy gufunc: broadcasting, `out=`, `where` and dtype rules are NumPy's."""
        shapes = [(a.shape, a.names) for a in self.arguments]
        return gufunc(self.name, self.program, shapes, self.result_shape)

    @cached_property
    def dag(self) -> Dag:
        """The elimination DAG of the robot as it is; passes may have made the code of an equivalent, cheaper one."""
        return self.origin.plain()

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

    def report(self) -> str:
        """Print the operations of the code before any pass and after each; of a derivative, those of its function."""
        lines, before = [], None
        for name, count in self.origin.savings().items():
            saved = "" if before is None else f"   {before - count:+d} saved"
            lines.append(f"{name:<28}{count:>7}{saved}")
            before = count
        return "\n".join(lines)

    def jacobian(self, argument: str) -> Function:
        """Return the exact derivative by an argument, `(..., *result, n)`: another function of the same arguments.

        By "q", the n directions are the velocity coordinates: a quaternion's are turns in the child's frame, a floating
        base's are (omega, v) in its own frame, the others those of q itself.

        Raises:
            InputError: no argument has that name.
        """
        names = [a.name for a in self.arguments]
        if argument not in names:
            raise unknown("argument", argument, names)
        place = names.index(argument)
        by = self.arguments[place]
        code = jacobian(self.program, [(a.name, a.names) for a in self.arguments], place, by.spaces)
        shape = (*self.result_shape, by.tangent_size)
        return Function(f"{self.name}_by_{argument}", self.arguments, shape, code, self.ordering, self.origin)

    def c_source(self) -> str:
        """The same function as self-contained C99 that needs nothing but math.h; a matrix result stands row by row."""
        sizes = [(a.name, len(a.names)) for a in self.arguments]
        return c_source(self.name, self.program, sizes, len(self.program.outputs))

    def c_header(self) -> str:
        """The header that goes with `c_source`, for C and C++."""
        return c_header(self.name, [(a.name, len(a.names)) for a in self.arguments], len(self.program.outputs))

    def llvm_source(self) -> str:
        """The LLVM assembly that machine code is made from here: a loop as NumPy calls it."""
        return llvm_source(self.program, [(a.shape, a.names) for a in self.arguments], self.result_shape)

    def algorithm(self) -> str:
        """Print the elimination DAG as numbered assignments, like Algorithm 1 of paper 0."""
        return self.dag.algorithm()

    def _explain(self, values: Sequence[Any]) -> None:
        """Raise an InputError that says what NumPy did not like, if it is one of the usual mistakes."""
        arrays = [_checked(value, argument, self.name) for value, argument in zip(values, self.arguments, strict=True)]
        shapes = [a.shape[: a.ndim - len(g.shape)] for a, g in zip(arrays, self.arguments, strict=True)]
        try:
            np.broadcast_shapes(*shapes)
        except ValueError:
            listed = ", ".join(f"{g.name} {a.shape}" for g, a in zip(self.arguments, arrays, strict=True))
            raise InputError(
                f"{self.name}: the batches do not broadcast, {listed}", fix="give leading axes that NumPy can broadcast"
            ) from None

    def _signature(self) -> str:
        return ", ".join(f"{a.name}: {'x'.join(map(str, a.shape))}" for a in self.arguments)


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
    return array


def _listed(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= 4 else (*names[:3], "...", names[-1])) or "nothing"
