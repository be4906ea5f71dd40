"""Derivatives by the numbers of arguments, quaternions among them, from those by tangent coordinates."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from screwgraph.compiler.derivatives.tape_inputs import make_inputs
from screwgraph.compiler.signature import Argument
from screwgraph.compiler.unit_quaternions import Places, normalising
from screwgraph.spatial.manifolds import Manifold
from screwgraph.tape import Number, Program, Scalar, factor_out, program


def to_ambient_arguments(arguments: Sequence[Argument]) -> tuple[Argument, ...]:
    """Return arguments that are plain vectors: quaternions are any four numbers."""
    return tuple(replace(argument, spaces=()) for argument in arguments)


def to_ambient_derivatives(
    slopes: Program, sizes: Sequence[int], arguments: Sequence[Argument], by: Sequence[str], places: Places
) -> Program:
    """Return derivatives by the numbers of arguments from those by their tangent coordinates.

    `slopes` are these, `by` one argument after the other, `sizes` numbers of the function's results, each row by row.
    Quaternions, which begin at `places`, are divided by their lengths first: along them, derivatives are zero.
    """
    plain, named = to_ambient_arguments(arguments), {a.name: a for a in arguments}
    tape, values = make_inputs(plain)
    outputs = iter(normalising(slopes, arguments, places).on([values[name] for name in slopes.input_names]))
    entries: list[Number] = []
    for name in by:
        argument = named[name]
        columns = _columns([values[n] for n in argument.names], argument.spaces)
        for size in sizes:
            for _ in range(size):
                row = [next(outputs) for _ in range(argument.tangent_size)]
                entries += [sum((row[j] * entry for j, entry in column), start=0.0) for column in columns]
    return factor_out(program(tape, entries, [n for a in plain for n in a.names]))


def _columns(x: Sequence[Scalar], spaces: Sequence[Manifold]) -> list[list[tuple[int, Number]]]:
    """Return how each number of a position moves it: (tangent coordinate, how fast)."""
    if not spaces:
        return [[(i, 1.0)] for i in range(len(x))]
    columns: list[list[tuple[int, Number]]] = []
    start = 0
    for space in spaces:
        (size,) = space.shape
        own = np.array(x[len(columns) : len(columns) + size], dtype=object)
        columns += [[(start + j, entry) for j, entry in column] for column in _own_columns(own, space)]
        start += space.dim
    return columns


def _own_columns(x: np.ndarray, space: Manifold) -> list[list[tuple[int, Number]]]:
    """Return those of one manifold: what the rates of directions, which are orthogonal, make of each number."""
    length: Number = 1.0
    unit = x.copy()
    if len(x) > space.dim:  # a quaternion comes last
        length = np.sqrt((x[-4:] * x[-4:]).sum())
        unit[-4:] = x[-4:] / length
    rates = [space.rate(unit, direction) for direction in np.eye(space.dim)]
    columns = []
    for i in range(len(x)):
        scale = 4.0 / length if len(x) > space.dim and i >= len(x) - 4 else 1.0
        columns.append([(j, scale * rate[i]) for j, rate in enumerate(rates) if not _is_zero(rate[i])])
    return columns


def _is_zero(x: Number) -> bool:
    return not isinstance(x, Scalar) and x == 0.0
