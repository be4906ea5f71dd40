"""Motions between two states: the polynomials that have these states at their ends, on any manifold."""

from __future__ import annotations

from functools import lru_cache
from math import factorial
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.integration_rules.rule import Point
from screwgraph.spatial.manifolds import Manifold, Product, Vector
from screwgraph.spatial.manifolds.tangent_coordinates import from_tangent, tangent_rate, tangent_second_rate, to_tangent

ROWS = 3
"""Position, velocity, acceleration."""


def hermite(order: int, part: Any) -> Float[np.ndarray, "*batch rows 2n"]:
    """Return the weights of a polynomial and its derivatives, row by row, at a part 0..1 of a step of length 1.

    The polynomial of degree 2n - 1 has n = `order` given derivatives, the value first, at both ends; columns are those
    at 0, then those at 1. Of white noise on the n-th derivative it is the most probable motion. Barfoot (2017), 3.4.
    """
    s = np.asarray(part, dtype=float)
    powers = np.zeros((*s.shape, max(ROWS, order), 2 * order))
    for i in range(max(ROWS, order)):
        for k in range(i, 2 * order):
            powers[..., i, k] = factorial(k) / factorial(k - i) * s ** (k - i)
    return powers @ _coefficients(order)


def between_states(
    manifold: Manifold, start: Point, end: Point, h: Float[np.ndarray, "N 1"], part: Float[np.ndarray, "N 1"]
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return position, velocity and acceleration at the parts 0..1 of N steps of lengths h (s).

    States have N rows each: the polynomials are cubic where they have no accelerations (None), else quintic. Joints
    that turn in space follow polynomials of rotation vectors in the frame at the start; velocities are the rates of
    positions.
    """
    if isinstance(manifold, Product):
        parts = [
            between_states(one, _entries(start, q, v), _entries(end, q, v), h, part) for one, q, v in manifold.places
        ]
        found: Any = (np.concatenate([p[i] for p in parts], axis=1) if parts else start[i] for i in range(3))
        return tuple(found)
    if isinstance(manifold, Vector):
        moved, velocity, acceleration = _polynomial(
            (np.zeros_like(start[0]), *start[1:]), (end[0] - start[0], *end[1:]), h, part
        )
        return start[0] + moved, velocity, acceleration
    d_end = np.array([to_tangent(manifold, x, y) for x, y in zip(start[0], end[0], strict=True)])
    states = [(np.zeros_like(d_end), *_local(manifold, np.zeros_like(d_end), start))]
    states.append((d_end, *_local(manifold, d_end, end)))
    d, d_rate, d_second = _polynomial(states[0], states[1], h, part)
    rows = [_motion(manifold, *row) for row in zip(start[0], d, d_rate, d_second, strict=True)]
    return tuple(np.array([row[i] for row in rows]) for i in range(3))  # pyright: ignore[reportReturnType]


def _entries(state: Point, q: slice, v: slice) -> Point:
    return state[0][:, q], state[1][:, v], None if state[2] is None else state[2][:, v]


def _local(manifold: Manifold, d: np.ndarray, state: Point) -> tuple[np.ndarray, np.ndarray | None]:
    """Return the rates of coordinates d, and their second rates where the state has accelerations."""
    _, v, a = state
    first = np.array([tangent_rate(manifold, *row) for row in zip(d, v, strict=True)])
    return first, None if a is None else np.array(
        [tangent_second_rate(manifold, *row) for row in zip(d, v, a, strict=True)]
    )


def _polynomial(start: Point, end: Point, h: np.ndarray, part: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    order = 2 if start[2] is None else 3
    given = [h**i * x for state in (start, end) for i, x in enumerate(state[:order])]
    weights = hermite(order, part[:, 0])
    d = [np.sum([weights[:, i, j, None] * x for j, x in enumerate(given)], axis=0) for i in range(ROWS)]
    return d[0], d[1] / h, d[2] / h**2


def _motion(
    manifold: Manifold, x: np.ndarray, d: np.ndarray, d_rate: np.ndarray, d_second: np.ndarray
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return the motion of which d are coordinates near x: position, velocity, acceleration."""
    turning = np.stack([np.asarray(tangent_rate(manifold, d, e), dtype=float) for e in np.eye(len(d))], axis=1)
    v = np.linalg.solve(turning, d_rate)
    bias = np.asarray(tangent_second_rate(manifold, d, v, np.zeros_like(v)), dtype=float)
    return np.asarray(from_tangent(manifold, x, d), dtype=float), v, np.linalg.solve(turning, d_second - bias)


@lru_cache(maxsize=8)
def _coefficients(order: int) -> Float[np.ndarray, "2n 2n"]:
    """Return the coefficients of the polynomials, column by column: whole numbers, but for factorials."""
    ends = np.zeros((2 * order, 2 * order))
    for i in range(order):
        ends[i, i] = factorial(i)
        for k in range(i, 2 * order):
            ends[order + i, k] = factorial(k) / factorial(k - i)
    scaled = np.rint(np.linalg.inv(ends) * factorial(order)) / factorial(order)
    scaled.setflags(write=False)
    return scaled
