"""Linear algebra of small matrices of floats."""

from __future__ import annotations

import math
import operator
from typing import Any

from numpy.array import array, asarray, made, ndarray
from numpy.kinds import FLOAT

EPSILON = 2.0**-52
SWEEPS = 60
"""Sweeps of Jacobi rotations after which small matrices have long converged."""


def norm(x: Any, axis: Any = None, ord: Any = None, keepdims: bool = False) -> Any:
    """Return Euclidean (Frobenius) norms, or with `ord` infinity the largest size."""
    x = asarray(x)
    if ord == math.inf:
        return abs(x).max(axis=axis)
    return x.along(
        lambda v: _of_complex(v) if x.dtype.kind in "cO" else math.hypot(*v),
        axis,
        FLOAT,
        keepdims,
    )


def _of_complex(v: list[Any]) -> float:
    if all(isinstance(e, (int, float)) for e in v):
        return math.hypot(*v)
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


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return U, singular values from the largest, and V^T, the thin ones, of a matrix: Jacobi rotations of its columns.

    Columns of U whose singular values are zero are zero.
    """
    if full_matrices and compute_uv:
        raise ValueError("only thin singular value decompositions are known here")
    a = asarray(a)
    rows, columns = a.shape
    wide = columns > rows
    turned = [[float(x) for x in row] for row in (a if wide else a.T).tolist()]  # its rows are the columns to turn
    k = len(turned)
    v = [[float(i == j) for j in range(k)] for i in range(k)]
    for _ in range(SWEEPS):
        if True not in [_made_orthogonal(turned, v, p, q) for p in range(k) for q in range(p + 1, k)]:
            break
    sizes = [math.hypot(*row) for row in turned]
    order = sorted(range(k), key=lambda i: -sizes[i])
    s = made([sizes[i] for i in order], (k,), FLOAT)
    if not compute_uv:
        return s
    left = made([x / (sizes[i] or 1.0) for i in order for x in turned[i]], (k, len(a) if not wide else columns), FLOAT)
    right = made([x for i in order for x in v[i]], (k, k), FLOAT)
    return (right.T, s, left) if wide else (left.T, s, right)


def _made_orthogonal(turned: list[list[float]], v: list[list[float]], p: int, q: int) -> bool:
    """Turn two rows in their plane so that they are orthogonal; False where they are, to rounding."""
    a, b = turned[p], turned[q]
    inner = math.fsum(map(operator.mul, a, b))
    aa, bb = math.fsum(map(operator.mul, a, a)), math.fsum(map(operator.mul, b, b))
    if abs(inner) <= 1e-15 * math.sqrt(aa * bb) or inner == 0.0:
        return False
    angle = 0.5 * math.atan2(2.0 * inner, aa - bb)
    c, s = math.cos(angle), math.sin(angle)
    for rows in (turned, v):
        x, y = rows[p], rows[q]
        rows[p] = [c * i + s * j for i, j in zip(x, y, strict=True)]
        rows[q] = [c * j - s * i for i, j in zip(x, y, strict=True)]
    return True


def matrix_rank(a: Any, tol: float | None = None) -> int:
    """Return the number of singular values above a bound, that of NumPy where none is given."""
    a = asarray(a)
    found = svd(a, compute_uv=False).tolist()
    least = tol if tol is not None else max(found, default=0.0) * max(a.shape) * EPSILON
    return sum(s > least for s in found)
