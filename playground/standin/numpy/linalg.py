"""Linear algebra of small matrices of floats."""

from __future__ import annotations

import math
from typing import Any

from numpy.array import array, asarray, made, matmul, ndarray
from numpy.kinds import FLOAT

SWEEPS = 60
"""Sweeps of Jacobi rotations after which small matrices have long converged."""


class LinAlgError(ValueError):
    """A matrix that has no inverse."""


def norm(x: Any, axis: Any = None, ord: Any = None, keepdims: bool = False) -> Any:
    """Return Euclidean (Frobenius) norms, or with `ord` infinity the largest size."""
    x = asarray(x)
    if ord == math.inf:
        return abs(x).max(axis=axis)
    return x.along(lambda v: math.hypot(*v) if all(isinstance(e, (int, float)) for e in v) else _of_complex(v), axis, FLOAT, keepdims)


def _of_complex(v: list[Any]) -> float:
    return math.sqrt(sum(abs(e) ** 2 for e in v))


def solve(a: Any, b: Any) -> ndarray:
    """Solve a x = b by elimination with the largest pivots."""
    a, b = asarray(a), asarray(b)
    n = len(a)
    columns = 1 if b.ndim == 1 else b.shape[1]
    m = [[float(x) for x in a[i].tolist()] + [float(x) for x in b.reshape(n, columns)[i].tolist()] for i in range(n)]
    for k in range(n):
        best = max(range(k, n), key=lambda i: abs(m[i][k]))
        if m[best][k] == 0.0:
            raise LinAlgError("Singular matrix")
        m[k], m[best] = m[best], m[k]
        for i in range(n):
            if i != k and m[i][k]:
                share = m[i][k] / m[k][k]
                m[i] = [x - share * y for x, y in zip(m[i], m[k], strict=True)]
    return array([[m[i][n + j] / m[i][i] for j in range(columns)] for i in range(n)], float).reshape(b.shape)


def inv(a: Any) -> ndarray:
    """Return the inverse of a matrix."""
    n = len(asarray(a))
    return solve(a, array([[float(i == j) for j in range(n)] for i in range(n)]))


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
        if not any(_rotated(m, v, p, q) for p in range(n) for q in range(p + 1, n)):
            break
    order = sorted(range(n), key=lambda i: m[i][i])
    return (
        made([m[i][i] for i in order], (n,), FLOAT),
        made([v[k][i] for k in range(n) for i in order], (n, n), FLOAT),
    )


def _rotated(m: list[list[float]], v: list[list[float]], p: int, q: int) -> bool:
    """Make entry (p, q) of a symmetric matrix zero; False where it is."""
    if abs(m[p][q]) <= 1e-300 or m[p][p] + abs(m[p][q]) == m[p][p] and m[q][q] + abs(m[p][q]) == m[q][q]:
        return False
    angle = 0.5 * math.atan2(2.0 * m[p][q], m[q][q] - m[p][p])
    c, s = math.cos(angle), math.sin(angle)
    for row in (*m, *v):
        row[p], row[q] = c * row[p] - s * row[q], s * row[p] + c * row[q]
    m[p], m[q] = [c * x - s * y for x, y in zip(m[p], m[q], strict=True)], [
        s * x + c * y for x, y in zip(m[p], m[q], strict=True)
    ]
    return True


def eigvalsh(a: Any) -> ndarray:
    """Return the eigenvalues of a symmetric matrix, smallest first."""
    a = asarray(a)
    if a.ndim > 2:
        return array([eigvalsh(one).tolist() for one in a])
    return eigh(a)[0]


def svd(a: Any, full_matrices: bool = True, compute_uv: bool = True) -> Any:
    """Return U, singular values (largest first) and V': Hestenes' one-sided rotations of the shorter side."""
    a = asarray(a, float)
    rows, columns = a.shape
    if rows < columns:
        found = svd(a.T, full_matrices, compute_uv)
        return (found[2].T, found[1], found[0].T) if compute_uv else found
    u = [list(column) for column in a.T.tolist()]
    v = [[float(i == j) for j in range(columns)] for i in range(columns)]
    for _ in range(SWEEPS):
        if not any(_made_orthogonal(u, v, p, q) for p in range(columns) for q in range(p + 1, columns)):
            break
    sizes = [math.hypot(*column) for column in u]
    order = sorted(range(columns), key=lambda i: -sizes[i])
    s = made([sizes[i] for i in order], (columns,), FLOAT)
    if not compute_uv:
        return s
    wanted = rows if full_matrices else columns
    left = _completed([u[i] for i in order], [sizes[i] for i in order], rows, wanted)
    return array(left).reshape(wanted, rows).T, s, array([v[i] for i in order]).reshape(columns, columns)


def _made_orthogonal(u: list[list[float]], v: list[list[float]], p: int, q: int) -> bool:
    """Rotate two columns until they are orthogonal; False where they are."""
    alpha, beta = (sum(x * x for x in u[i]) for i in (p, q))
    gamma = sum(x * y for x, y in zip(u[p], u[q], strict=True))
    if abs(gamma) <= 1e-16 * math.sqrt(alpha * beta) or gamma == 0.0:
        return False
    angle = 0.5 * math.atan2(2.0 * gamma, beta - alpha)
    c, s = math.cos(angle), math.sin(angle)
    for m in (u, v):
        m[p], m[q] = [c * x - s * y for x, y in zip(m[p], m[q], strict=True)], [
            s * x + c * y for x, y in zip(m[p], m[q], strict=True)
        ]
    return True


def _completed(columns: list[list[float]], sizes: list[float], rows: int, wanted: int) -> list[list[float]]:
    """Return unit columns; those of size zero, and those that are missing, orthogonal to the others (Gram-Schmidt)."""
    floor = 1e-14 * max(sizes, default=0.0)
    found = [[x / size for x in column] for column, size in zip(columns, sizes, strict=True) if size > floor]
    for i in range(rows):
        if len(found) == wanted:
            break
        new = [float(i == j) for j in range(rows)]
        for _ in range(2):
            for column in found:
                share = sum(x * y for x, y in zip(new, column, strict=True))
                new = [x - share * y for x, y in zip(new, column, strict=True)]
        size = math.hypot(*new)
        if size > 1e-8:
            found.append([x / size for x in new])
    return found


def matrix_rank(a: Any, tol: float | None = None) -> int:
    """Return the number of singular values above a tolerance."""
    a = asarray(a, float)
    if not a.size:
        return 0
    s = svd(a, compute_uv=False)
    least = tol if tol is not None else max(a.shape) * 2.220446049250313e-16 * s.max()
    return sum(x > least for x in s.tolist())


def lstsq(a: Any, b: Any, rcond: float | None = None) -> tuple[Any, Any, int, ndarray]:
    """Return the shortest least-squares solution, and what NumPy returns with it but residuals."""
    a, b = asarray(a, float), asarray(b, float)
    u, s, vt = svd(a, full_matrices=False)
    least = (rcond if rcond is not None else max(a.shape) * 2.220446049250313e-16) * s.max(initial=0.0)
    kept = [1.0 / x if x > least else 0.0 for x in s.tolist()]
    x = matmul(vt.T, array(kept) * matmul(u.T, b)) if b.ndim == 1 else matmul(vt.T, array(kept)[:, None] * matmul(u.T, b))
    return x, array([]), sum(k > 0.0 for k in kept), s
