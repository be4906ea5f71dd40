"""Small dense systems of numbers of code, by elimination in the order of their rows."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.simulation.contacts.laws.laws import Numbers
from screwgraph.spatial import choose
from screwgraph.tape import Number, dot

SINGULAR = 1e-9
"""Least pivot, relative to its diagonal, of an impulse that moves bodies in a way that those before it do not."""


def factor_rows(A: Sequence[Numbers]) -> tuple[list[list[Number]], list[list[Number]]]:
    """Return a unit L and U with L U = A; on U's diagonal stand inverses, zero where a pivot is none."""
    m, left = len(A), [list(row) for row in A]
    L = [[0.0] * m for _ in A]
    for k in range(m):
        pivot, least = left[k][k], SINGULAR * abs(A[k][k])
        inverse = choose(abs(pivot) > least, 1.0, 0.0) / choose(abs(pivot) > least, pivot, 1.0)
        for i in range(k + 1, m):
            L[i][k] = left[i][k] * inverse
            left[i] = [y if j <= k else y - L[i][k] * left[k][j] for j, y in enumerate(left[i])]
        left[k] = [0.0 if j < k else inverse if j == k else y for j, y in enumerate(left[k])]
    return L, left


def solve_rows(L: Sequence[Numbers], U: Sequence[Numbers], right: Numbers) -> list[Number]:
    """Return the y with L U y = b; b may be longer."""
    m, y = len(L), list[Number]()
    for i in range(m):
        y.append(right[i] - dot(L[i][:i], y))
    for i in reversed(range(m)):
        y[i] = (y[i] - dot(U[i][i + 1 :], y[i + 1 :])) * U[i][i]
    return y
