"""Elimination of the equations of motion with pivots that never vanish, on any kind of number."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from screwgraph.spatial import Array, concatenate
from screwgraph.tape import Number, Row
from screwgraph.tape.rows import sparse


def constrained_motion(
    M: Array, J: Array, Q: Array, c: Array, added: Sequence[float], angles: Sequence[tuple[int, int]] = ()
) -> tuple[Array, Array]:
    """Solve M qdd + J' lam = Q, J qdd = c for (qdd, lam). Blanco-Claraco et al. (2021), eqs. (5), (6).

    `angles` are massless coordinates and the rows that define them, (coordinate, row): each row has an entry that never
    vanishes in its own angle, and none in others. They are taken out first: they follow the points.
    """
    if not angles:
        return _motion_of_points(M, J, Q, c, added)
    slots, defining = [slot for slot, _ in angles], [row for _, row in angles]
    points = [i for i in range(J.shape[1]) if i not in slots]
    others = [i for i in range(J.shape[0]) if i not in defining]
    inverse = np.array([1.0 / J[row, slot] for slot, row in angles], dtype=object)
    follow = inverse[:, None] * J[np.ix_(defining, points)]
    beside = J[np.ix_(others, slots)]
    A, b = J[np.ix_(others, points)] - beside @ follow, c[others] - beside @ (inverse * c[defining])
    force = Q[points] - follow.T @ Q[slots]
    moved, lam = _motion_of_points(M[np.ix_(points, points)], A, force, b, [added[i] for i in others])
    qdd, multipliers = np.empty(J.shape[1], dtype=object), np.empty(J.shape[0], dtype=object)
    qdd[points], qdd[slots] = moved, inverse * c[defining] - follow @ moved
    multipliers[others], multipliers[defining] = lam, inverse * (Q[slots] - beside.T @ lam)
    return qdd, multipliers


def _motion_of_points(M: Array, J: Array, Q: Array, c: Array, added: Sequence[float]) -> tuple[Array, Array]:
    """Solve the same where no coordinate is an angle.

    LDL' in an order of little fill-in. A multiplier's turn comes after that of all coordinates of its row: then all
    pivots of coordinates are positive, all of multipliers negative, wherever the rows are independent.
    """
    n, m, w = J.shape[1], J.shape[0], np.array(added)
    A = M + J.T @ (w[:, None] * J) if any(added) else M
    b = concatenate(Q + J.T @ (w * c) if any(added) else Q, c)
    K = sparse(np.block([[A, J.T], [J, np.zeros((m, m))]]))
    x = solve_symmetric(K, b, _turn(n, sparse(J)))
    # The weighted system's multipliers are those less w (J qdd - c), which vanishes.
    return x[:n], x[n:]


Turn = Callable[[int, set[int]], bool]
"""Tells whether an unknown may be eliminated, given those that are left."""


def _turn(n: int, J: Sequence[Row]) -> Turn:
    return lambda i, left: i < n or left.isdisjoint(J[i - n])


def solve_symmetric(K: Sequence[Row], b: Array, may: Turn) -> Array:
    """Solve K x = b for numbers of any kind: LDL' without pivoting.

    In order of least degree among those whose turn may be.
    """
    entries, right = [dict(row) for row in K], list(b)
    left, steps = set(range(len(K))), []
    while left:
        ready = [i for i in left if may(i, left)]
        pivot = min(ready, key=lambda i: (len(entries[i]), i))
        steps.append(_eliminated(pivot, entries, right))
        left.discard(pivot)
    x = np.zeros(len(K), dtype=object)
    for pivot, row, inverse in reversed(steps):
        x[pivot] = inverse * (right[pivot] - sum((value * x[j] for j, value in row.items()), start=0.0))
    return x


def _eliminated(pivot: int, entries: list[Row], right: list[Number]) -> tuple[int, Row, Number]:
    row = entries[pivot]
    inverse = 1.0 / row.pop(pivot)
    neighbours = list(row)
    for i in neighbours:
        del entries[i][pivot]
    for a, i in enumerate(neighbours):
        factor = row[i] * inverse
        right[i] = right[i] - factor * right[pivot]
        for j in neighbours[a:]:
            value = entries[i].get(j, 0.0) - factor * row[j]
            entries[i][j] = value
            entries[j][i] = value
    return pivot, row, inverse
