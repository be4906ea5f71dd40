"""What a function takes and gives, and what is wrong with arrays that do not fit.

Code computes with single or double precision.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.spatial.manifolds import Manifold

REAL_KINDS = "biuf"
"""Kinds of NumPy arrays that are real numbers; text, objects and complex numbers are not."""


PARAMETERS = "parameters"
"""The name of the argument that holds the parameters of a model."""

DTYPES = ("float64", "float32")
"""The numbers that machine code and C source can compute with."""

LISTED = 20
"""Numbers of an array whose names comments list though they are only counted."""


@dataclass(frozen=True)
class Argument:
    """An argument: `names` says what each of its numbers is, `shape` how they are arranged.

    `spaces` are the manifolds of positions, in order; empty for plain vectors. `nominal` are its values in a file, of a
    model's parameters and of what is set once, such as gains: programs that keep arguments begin with them. `size` is
    that of usual numbers of a plain vector: values of code are compared there first. `units` are the places at which
    unit quaternions begin in a plain vector: code that is exported makes them unit. `about` is what comments of
    exported code, and errors of other shapes, say of it. `period` (s) is of an argument that counts the periods since
    the last call, else 0.
    """

    __repr__ = one_line

    name: str
    shape: tuple[int, ...]
    names: tuple[str, ...]
    spaces: tuple[Manifold, ...] = ()
    nominal: tuple[float, ...] = ()
    size: float = 1.0
    units: tuple[int, ...] = ()
    about: str = ""
    period: float = 0.0

    @property
    def tangent_size(self) -> int:
        """Number of directions in which it can change."""
        return sum(space.dim for space in self.spaces) if self.spaces else len(self.names)


def make_numbered_argument(name: str, *shape: int) -> Argument:
    """Return an argument of any numbers, called "name[0]", "name[1]", ... row by row."""
    return Argument(name, shape, _number_names(name, int(np.prod(shape, dtype=int))))


def set_nominal(arguments: Sequence[Argument], values: Mapping[str, Any]) -> tuple[Argument, ...]:
    """Return arguments with the values of those that have some, by name; others, and batches of values, are left."""
    given = {name: tuple(map(float, np.ravel(value))) for name, value in values.items()}
    return tuple(
        replace(a, nominal=given[a.name]) if len(given.get(a.name, ())) == len(a.names) else a for a in arguments
    )


def _number_names(name: str, count: int) -> tuple[str, ...]:
    return tuple(f"{name}[{i}]" for i in range(count))


@dataclass(frozen=True)
class Result:
    """One of the arrays that a function returns; `names` says what each of its numbers is, row by row."""

    name: str
    shape: tuple[int, ...]
    names: tuple[str, ...] = ()
    about: str = ""

    @property
    def size(self) -> int:
        """How many numbers it holds."""
        return int(np.prod(self.shape))


def list_names(array: Argument | Result) -> str:
    """Return what an array is and the names of its numbers, for comments; of many without any, "row by row"."""
    is_numbered = array.names == _number_names(array.name, len(array.names))
    is_short = 0 < len(array.names) <= LISTED
    listed = ", ".join(array.names) if is_short or not is_numbered else "row by row"
    return f"{array.about}: {listed}" if array.about else listed


def format_arguments(arguments: Sequence[Argument | Result]) -> str:
    """Write names and shapes: `q: 7, wrenches: 2x6`."""
    return ", ".join(f"{a.name}: {'x'.join(map(str, a.shape)) or 1}" for a in arguments)


def order_values(
    function: str, arguments: Sequence[Argument], values: Sequence[Any], named: Mapping[str, Any]
) -> tuple[Any, ...]:
    """Return values in the order of the arguments, the last ones of which were given by name.

    Raises:
        InputError: no argument has that name, one is given twice, or one is missing.
    """
    last = arguments[len(values) :]
    for name in named:
        if name not in {argument.name for argument in arguments}:
            raise make_unknown_name_error("argument", name, [argument.name for argument in arguments])
        if name not in {argument.name for argument in last}:
            raise InputError(f"{function}: {name} is given twice", fix="give it by its place or by its name")
    missing = [argument.name for argument in last if argument.name not in named]
    if missing:
        raise InputError(f"{function} takes {format_arguments(arguments)}", why=f"{', '.join(missing)} is missing")
    return (*values, *(named[argument.name] for argument in last))


def check_count(function: str, arguments: Sequence[Argument], values: Sequence[Any]) -> None:
    """Raise InputError unless there is a value for each argument."""
    if len(values) != len(arguments):
        raise InputError(
            f"{function} takes {len(arguments)} arguments ({format_arguments(arguments)}), {len(values)} were given"
        )


def check_arrays(function: str, arguments: Sequence[Argument], values: Sequence[Any]) -> list[np.ndarray]:
    """Return values as arrays; raise InputError where one is of no use as its argument, or batches do not broadcast."""
    arrays = [_validate_value(value, argument, function) for value, argument in zip(values, arguments, strict=True)]
    shapes = [a.shape[: a.ndim - len(g.shape)] for a, g in zip(arrays, arguments, strict=True)]
    try:
        np.broadcast_shapes(*shapes)
    except ValueError:
        listed = ", ".join(f"{g.name} {a.shape}" for g, a in zip(arguments, arrays, strict=True))
        raise InputError(
            f"{function}: the batches do not broadcast, {listed}", fix="give leading axes that NumPy can broadcast"
        ) from None
    return arrays


def concatenate_columns(arguments: Sequence[Argument], arrays: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Return all numbers of arguments one after the other, each of the shape of its array's batch."""
    columns = []
    for argument, array in zip(arguments, arrays, strict=True):
        flat = array.reshape(*array.shape[: array.ndim - len(argument.shape)], len(argument.names))
        columns += list(np.moveaxis(flat.astype(float), -1, 0))
    return columns


def _validate_value(value: Any, argument: Argument, function: str) -> np.ndarray:
    try:
        array = np.asarray(value)
    except (TypeError, ValueError):
        array = np.array(None)
    if not array.size and array.dtype == object:
        array = array.astype(float)  # of no scalars of a tape
    if array.dtype.kind not in REAL_KINDS:
        raise InputError(f"{function}: {argument.name} is not an array of real numbers")
    core = len(argument.shape)
    if array.ndim < core or array.shape[array.ndim - core :] != argument.shape:
        expected = ", ".join(["...", *map(str, argument.shape)])
        raise InputError(
            f"{function}: {argument.name} has the shape {array.shape}, expected ({expected})",
            why=f"it holds {argument.about or _format_names(argument.names)}",
        )
    return array


def _format_names(names: Sequence[str]) -> str:
    return ", ".join(names if len(names) <= 4 else (*names[:3], "...", names[-1])) or "nothing"


def validate_dtype(dtype: Any) -> str:
    """Return the name of a type of numbers. Raises InputError where there is no code for it."""
    try:
        name = describe_value(dtype) if dtype is None else np.dtype(dtype).name  # which takes None for float64
    except (TypeError, ValueError):
        name = describe_value(dtype)
    if name not in DTYPES:
        raise make_unknown_name_error("type of numbers", name, DTYPES)
    return name
