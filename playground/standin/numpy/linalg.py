"""Linear algebra of small matrices of floats."""

from __future__ import annotations

import math
from typing import Any

from numpy.array import array, asarray, made, ndarray
from numpy.kinds import FLOAT

SWEEPS = 60
"""Sweeps of Jacobi rotations after which small matrices have long converged."""


def norm(x: Any, axis: Any = None, ord: Any = None, keepdims: bool = False) -> Any:
    """Return Euclidean (Frobenius) norms, or with `ord` infinity the largest size."""
    x = asarray(x)
    if ord == math.inf:
        return abs(x).max(axis=axis)
    return x.along(
        lambda v: math.hypot(*v) if all(isinstance(e, (int, float)) for e in v) else _of_complex(v),
        axis,
        FLOAT,
        keepdims,
    )


def _of_complex(v: list[Any]) -> float:
    return math.sqrt(sum(abs(e) ** 2 for e in v))


def det(a: Any) -> float:
    """Return the determinant of a matrix."""
    m = [[float(x) for x in row] for row in asarray(a).tolist()]
    found = 1.0
    for k in range(len(m)):
        best = max(range(k, len(m)), key=lambda i: abs(m[i][k]))
        if m[best][k] == 0.0:
            return 0.0
        if best != k:
            m[k], m[best], found = m[best], m[k], -found
        found *= m[k][k]
        for i in range(k + 1, len(m)):
            share = m[i][k] / m[k][k]
            m[i] = [x - share * y for x, y in zip(m[i], m[k], strict=True)]
    return found


def eigh(a: Any) -> tuple[ndarray, ndarray]:
    """Return eigenvalues, smallest first, and eigenvectors (columns) of a symmetric matrix: Jacobi rotations."""
    m = [[float(x) for x in row] for row in asarray(a).tolist()]
    n = len(m)
    v = [[float(i == j) for j in range(n)] for i in range(n)]
    for _ in range(SWEEPS):
        turned = [_rotated(m, v, p, q) for p in range(n) for q in range(p + 1, n)]
        if True not in turned:
            break
    order = sorted(range(n), key=lambda i: m[i][i])
    return (
        made([m[i][i] for i in order], (n,), FLOAT),
        made([v[k][i] for k in range(n) for i in order], (n, n), FLOAT),
    )


def _rotated(m: list[list[float]], v: list[list[float]], p: int, q: int) -> bool:
    """Make entry (p, q) of a symmetric matrix zero; False where it is."""
    if abs(m[p][q]) <= 1e-300 or (m[p][p] + abs(m[p][q]) == m[p][p] and m[q][q] + abs(m[p][q]) == m[q][q]):
        return False
    angle = 0.5 * math.atan2(2.0 * m[p][q], m[q][q] - m[p][p])
    c, s = math.cos(angle), math.sin(angle)
    for row in (*m, *v):
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    m[p], m[q] = (
        [c * x - s * y for x, y in zip(m[p], m[q], strict=True)],
        [s * x + c * y for x, y in zip(m[p], m[q], strict=True)],
    )
    return True


def eigvalsh(a: Any) -> ndarray:
    """Return the eigenvalues of a symmetric matrix, smallest first."""
    a = asarray(a)
    if a.ndim > 2:
        return array([eigvalsh(one).tolist() for one in a])
    return eigh(a)[0]
