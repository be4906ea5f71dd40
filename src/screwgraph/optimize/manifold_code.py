"""Values of manifolds in code: names of their numbers, derivatives by directions, and steps of many values at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import compile_program
from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Manifold, Vector
from screwgraph.tape import Number, Row, Tape, jacobian, program, substitute_scalars, tape_of


def number_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of an array's numbers on a tape, row by row."""
    return tuple(f"{name}{list(place)}" for place in np.ndindex(*shape))


def tangent_rows(manifold: Manifold, x: Array) -> list[Row]:
    """Return the derivative of each number of a value, row by row, by the directions in which it can change."""
    d = list(tape_of(x).inputs("d", (manifold.dim,)))
    entries = np.ravel(manifold.near(x, np.array(d, dtype=object))).tolist()
    return _drop_displacements(d, jacobian(entries, d))


def second_tangents(manifold: Manifold, x: Array) -> list[list[Row]]:
    """Return the second derivatives of each number of a value, row by row, by the directions in which it can change."""
    d = list(tape_of(x).inputs("d", (manifold.dim,)))
    entries = np.ravel(manifold.near(x, np.array(d, dtype=object))).tolist()
    first = jacobian(entries, d)
    return [_drop_displacements(d, jacobian([row.get(j, 0.0) for j in range(manifold.dim)], d)) for row in first]


def _drop_displacements(d: list[Any], rows: list[Row]) -> list[Row]:
    """Return derivatives where no unknown has moved."""
    entries: list[Number] = substitute_scalars([x for row in rows for x in row.values()], dict.fromkeys(d, 0.0))
    values = iter(entries)
    return [{j: next(values) for j in row} for row in rows]


def retract_values(manifold: Manifold, x: np.ndarray, d: Float[np.ndarray, "N dim"]) -> np.ndarray:
    """Move N values (N, *shape) along as many directions."""
    return x + d if isinstance(manifold, Vector) else _compile_operation(manifold, "retract")(x, d)


def displacement_rates(manifold: Manifold, d: Float[np.ndarray, "N dim"], v: Float[np.ndarray, "N dim"]) -> np.ndarray:
    """Return the rates (N, dim) of N directions d where what these lead to moves at velocities v."""
    return v if isinstance(manifold, Vector) else _compile_operation(manifold, "step_rate")(d, v)


def difference_values(manifold: Manifold, x: np.ndarray, y: np.ndarray) -> Float[np.ndarray, "N dim"]:
    """Return the directions (N, dim) that lead from N values to as many others."""
    return y - x if isinstance(manifold, Vector) else _compile_operation(manifold, "difference")(x, y)


_SHAPES = {"retract": ("x", "d", "x"), "step_rate": ("d", "d", "d"), "difference": ("x", "x", "d")}
"""What operations take, and what they return: values x or directions d."""


@cache
def _compile_operation(manifold: Manifold, operation: str) -> np.ufunc:
    """Return an operation of a manifold for arrays of values, compiled."""
    tape, shapes = Tape(merge="form"), {"x": manifold.shape, "d": (manifold.dim,)}
    *taken, result = (shapes[kind] for kind in _SHAPES[operation])
    inputs = [tape.inputs(name, shape) for name, shape in zip("ab", taken, strict=True)]
    code = program(tape, np.ravel(getattr(manifold, operation)(*inputs)).tolist())
    arguments = [(shape, number_names(name, shape)) for name, shape in zip("ab", taken, strict=True)]
    return compile_program(operation, code, arguments, [result]).ufunc
