"""Solutions of a few linear equations, on numbers of any kind."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from screwgraph.tape.scalar import Number
from screwgraph.tape.sparse_rows import dot


def least_norm(K: Sequence[Sequence[Number]], b: Sequence[Number]) -> np.ndarray:
    """Return the smallest x with K x = b, K of full row rank: K' y, where K K' y = b is solved by factors L D L'.

    No pivot vanishes while rows are independent, and what is zero for its place costs nothing.
    """
    y = solve_positive([[dot(K[i], K[j]) for j in range(i + 1)] for i in range(len(b))], b)
    return np.array([dot(column, y) for column in zip(*K, strict=True)], dtype=object)


def solve_positive(S: Sequence[Sequence[Number]], b: Sequence[Number]) -> list[Number]:
    """Return y with S y = b by factors L D L'; rows of the lower triangle of S, positive definite, are given."""
    n = len(b)
    L: list[list[Number]] = [[0.0] * n for _ in range(n)]
    scaled: list[list[Number]] = [[0.0] * n for _ in range(n)]
    y, inverse = list(b), [0.0] * n
    for i in range(n):
        for j in range(i):
            scaled[i][j] = S[i][j] - dot(scaled[i][:j], L[j][:j])
            L[i][j] = scaled[i][j] * inverse[j]
        inverse[i] = 1.0 / (S[i][i] - dot(scaled[i][:i], L[i][:i]))
        y[i] = y[i] - dot(L[i][:i], y[:i])
    y = [value * d for value, d in zip(y, inverse, strict=True)]
    for i in reversed(range(n)):
        y[i] = y[i] - dot([L[j][i] for j in range(i + 1, n)], y[i + 1 :])
    return y
