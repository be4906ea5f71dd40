"""Symbolic elimination of the equations of motion with pivots that never vanish, on CasADi expressions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any


def constrained_motion(
    M: Any, J: Any, Q: Any, c: Any, added: Sequence[float], angles: Sequence[tuple[int, int]] = ()
) -> tuple[Any, Any]:
    """Solve M qdd + J' lam = Q, J qdd = c for (qdd, lam), expressions of CasADi.

    Blanco-Claraco et al. (2021), eqs. (5), (6).

    `angles` are massless coordinates and the rows that define them, (coordinate, row): each row has an entry that never
    vanishes in its own angle, and none in others. They are taken out first: they follow the points.
    """
    import casadi as ca

    if not angles:
        return _motion_of_points(M, J, Q, c, added)
    slots, defining = [slot for slot, _ in angles], [row for _, row in angles]
    points = [i for i in range(J.shape[1]) if i not in slots]
    others = [i for i in range(J.shape[0]) if i not in defining]
    inverse = ca.diag(1.0 / ca.vertcat(*(J[row, slot] for slot, row in angles)))
    follow = inverse @ J[defining, points]
    A, b = J[others, points] - J[others, slots] @ follow, c[others] - J[others, slots] @ inverse @ c[defining]
    force = Q[points] - follow.T @ Q[slots]
    weights = [added[i] for i in others]
    moved, lam = _motion_of_points(M[points, points], ca.sparsify(A), force, b, weights)
    qdd, multipliers = ca.SX(J.shape[1], 1), ca.SX(J.shape[0], 1)
    qdd[points], qdd[slots] = moved, inverse @ c[defining] - follow @ moved
    multipliers[others], multipliers[defining] = lam, inverse @ (Q[slots] - J[others, slots].T @ lam)
    return ca.densify(qdd), ca.densify(multipliers)


def _motion_of_points(M: Any, J: Any, Q: Any, c: Any, added: Sequence[float]) -> tuple[Any, Any]:
    """Solve the same where no coordinate is an angle.

    LDL' in an order of little fill-in. A multiplier's turn comes after that of all coordinates of its row: then all
    pivots of coordinates are positive, all of multipliers negative, wherever the rows are independent.
    """
    import casadi as ca

    n, m = J.shape[1], J.shape[0]
    w = ca.DM(list(added))
    A = M + J.T @ (ca.repmat(w, 1, n) * J) if any(added) else M
    b = ca.vertcat(Q + J.T @ (w * c) if any(added) else Q, c)
    K = ca.sparsify(ca.blockcat([[A, J.T], [J, ca.SX(m, m)]]))
    x = solve_symmetric(K, b, _turn(n, J))
    # The weighted system's multipliers are those less w (J qdd - c), which vanishes.
    return x[:n], x[n:]


Turn = Callable[[int, set[int]], bool]
"""Tells whether an unknown may be eliminated, given those that are left."""


def _turn(n: int, J: Any) -> Turn:
    rows = [set(J.sparsity().T.row()[start:end]) for start, end in _spans(J)]
    return lambda i, left: i < n or not (rows[i - n] & left)


def _spans(J: Any) -> list[tuple[int, int]]:
    transposed = J.sparsity().T
    starts = transposed.colind()
    return list(pairwise(starts))


def solve_symmetric(K: Any, b: Any, may: Turn) -> Any:
    """Solve K x = b, b (n,) or (n, k), for expressions: LDL' without pivoting.

    In order of least degree among those whose turn may be.
    """
    import casadi as ca

    n = K.shape[0]
    entries: list[dict[int, Any]] = [{} for _ in range(n)]
    for i, j in zip(*K.sparsity().get_triplet(), strict=True):
        entries[i][j] = K[i, j]
    right = [b[i, :] for i in range(n)]
    left, steps = set(range(n)), []
    while left:
        ready = [i for i in left if may(i, left)]
        pivot = min(ready, key=lambda i: (len(entries[i]), i))
        steps.append(_eliminated(pivot, entries, right))
        left.discard(pivot)
    x: list[Any] = [ca.SX(1, b.shape[1])] * n
    for pivot, row, inverse in reversed(steps):
        x[pivot] = inverse * (right[pivot] - sum((value * x[j] for j, value in row.items()), ca.SX(1, b.shape[1])))
    return ca.vertcat(*x)


def _eliminated(pivot: int, entries: list[dict[int, Any]], right: list[Any]) -> tuple[int, dict[int, Any], Any]:
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
