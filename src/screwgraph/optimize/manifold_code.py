"""Values of manifolds in code: names of their numbers, derivatives by directions, and steps of many values at once."""

from __future__ import annotations

from functools import cache
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.compiler import compiled
from screwgraph.spatial import Array
from screwgraph.spatial.manifolds import Manifold, Vector
from screwgraph.tape import Number, Row, Tape, jacobian, program, substituted, tape_of


def number_names(name: str, shape: tuple[int, ...]) -> tuple[str, ...]:
    """Return the names of an array's numbers on a tape, row by row."""
    return tuple(f"{name}{list(place)}" for place in np.ndindex(*shape))


def tangents(manifold: Manifold, x: Array) -> list[Row]:
    """Return the derivative of each number of a value, row by row, by the directions in which it can change."""
    d = list(tape_of(x).inputs("d", (manifold.dim,)))
    entries = np.ravel(manifold.near(x, np.array(d, dtype=object))).tolist()
    return _without(d, jacobian(entries, d))


def bends(manifold: Manifold, x: Array) -> list[list[Row]]:
    """Return the second derivatives of each number of a value, row by row, by the directions in which it can change."""
    d = list(tape_of(x).inputs("d", (manifold.dim,)))
    entries = np.ravel(manifold.near(x, np.array(d, dtype=object))).tolist()
    first = jacobian(entries, d)
    return [_without(d, jacobian([row.get(j, 0.0) for j in range(manifold.dim)], d)) for row in first]


def _without(d: list[Any], rows: list[Row]) -> list[Row]:
    """Return derivatives where no unknown has moved."""
    entries: list[Number] = substituted([x for row in rows for x in row.values()], dict.fromkeys(d, 0.0))
    values = iter(entries)
    return [{j: next(values) for j in row} for row in rows]


def moved(manifold: Manifold, x: np.ndarray, d: Float[np.ndarray, "N dim"]) -> np.ndarray:
    """Move N values (N, *shape) along as many directions."""
    return x + d if isinstance(manifold, Vector) else _moving(manifold)(x, d)


@cache
def _moving(manifold: Manifold) -> np.ufunc:
    """Return `retract` for arrays of values, compiled."""
    tape = Tape(merge="form")
    x, d = tape.inputs("x", manifold.shape), tape.inputs("d", (manifold.dim,))
    code = program(tape, np.ravel(manifold.retract(x, d)).tolist())
    shapes = {"x": manifold.shape, "d": (manifold.dim,)}
    arguments = [(shape, number_names(name, shape)) for name, shape in shapes.items()]
    return compiled("moved", code, arguments, [manifold.shape]).ufunc
