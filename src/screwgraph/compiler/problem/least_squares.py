"""Linear equations solved with numbers: exact ones first, then those that hold only nearly."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.graph import Column, Row
from screwgraph.spatial import null_space

Dense = tuple[Float[np.ndarray, "rows columns"], Float[np.ndarray, " rows"]]
RANK = 1e-12
"""Singular values, relative to the largest, below which equations leave a direction free."""


def solve_least_squares(rows: Sequence[Row], columns: Sequence[Column]) -> dict[Column, float]:
    """Return the unknowns of equations whose coefficients are numbers; the smallest, where several values do."""
    A, b = _dense([row for row in rows if not row.factor.sigma], columns)
    x = np.linalg.lstsq(A, b, rcond=None)[0]
    soft = [row for row in rows if row.factor.sigma]
    if soft:
        C, d = _dense(soft, columns)
        weights = np.array([1.0 / row.factor.sigma[row.number] for row in soft])
        free = null_space(A, least=RANK)
        moved = np.linalg.lstsq(weights[:, None] * (C @ free), weights * (d - C @ x), rcond=None)[0]
        x = x + free @ moved
    return dict(zip(columns, x.tolist(), strict=True))


def _dense(rows: Sequence[Row], columns: Sequence[Column]) -> Dense:
    place = {column: i for i, column in enumerate(columns)}
    A, b = np.zeros((len(rows), len(columns))), np.zeros(len(rows))
    for i, row in enumerate(rows):
        b[i] = -float(row.constant)
        for column, coefficient in row.terms.items():
            A[i, place[column]] = float(coefficient)
    return A, b
