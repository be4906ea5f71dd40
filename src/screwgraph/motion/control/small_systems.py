"""Small linear systems as straight-line code: of legs, of a floating base, of motors."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.control.affine import Affine, combine_affine, scale_affine
from screwgraph.optimize.dense_factors import factor_diagonal, solve_unit_lower, solve_unit_upper
from screwgraph.spatial import choose, cross, maximum
from screwgraph.tape import Number, dot, is_zero
from screwgraph.tape.sparse_rows import add_entry, to_sparse_rows

STRAIGHT = 0.02
"""Volume of a leg's Jacobian, of the largest that is usual, below which a foot is held with damped least squares."""
LEVELLED = 1e-3
"""Part of its value without legs that a pivot of the base's inertia has at least."""
LITTLE = 1e-30
"""Pivot at least, where orders of pivots are tried."""
VANISHED = 1e-6
"""Pivot of motors' arms, of the largest arm, below which they depend on each other."""


def make_leg_solver(own: Any, size: int, usual: float) -> Any:
    """Return a function that solves own x = b; near singular matrices, by damped least squares."""
    if size == 3:
        volume = dot(own[0], cross(own[1], own[2]))
        inverse = _inverse(own.T @ own + _damping(volume, size, usual) * np.eye(size)) @ own.T
        return lambda b: inverse @ b
    square, inverse = own.T @ own, 1.0
    for share in factor_diagonal(_lower_triangle(square))[1]:
        inverse = inverse * share
    damping = _damping((1.0 / inverse) ** 0.5, size, usual)
    L, inverses = factor_diagonal(_lower_triangle(square + damping * np.eye(size)))

    def solve(b: Any) -> Any:
        x = solve_unit_lower(L, own.T @ b)
        return np.array(solve_unit_upper(L, [a * d for a, d in zip(x, inverses, strict=True)]))

    return solve


def _damping(volume: Number, size: int, usual: float) -> Number:
    share = volume * (1.0 / (STRAIGHT * usual))
    return (STRAIGHT * usual ** (1.0 / size)) ** 2 * maximum(1.0 - share * share, 0.0)


def _lower_triangle(a: Any) -> list[list[Number]]:
    return [list(row[: i + 1]) for i, row in enumerate(a)]


def _inverse(a: Any) -> Any:
    """Return the inverse of a symmetric 3 x 3 matrix."""
    columns = np.array([cross(a[(i + 1) % 3], a[(i + 2) % 3]) for i in range(3)])
    return columns * (1.0 / dot(a[0], columns[0]))


def solve_square(W: list[list[Number]], usual: Sequence[Number], right: Sequence[Affine]) -> list[Affine]:
    """Return the x with W x = b, from the last unknown to the first; a pivot that vanishes is made larger."""
    rows, n = [dict(row) for row, _ in right], len(W)
    added = [x for _, x in right]
    for p in reversed(range(n)):
        least = LEVELLED * usual[p]
        pivot = choose(abs(W[p][p]) > least, W[p][p], least)
        inverse = 1.0 / pivot
        for i in range(p):
            share = W[i][p] * inverse
            if is_zero(share):
                continue
            for j in range(p):
                W[i][j] = W[i][j] - share * W[p][j]
            for k, x in rows[p].items():
                add_entry(rows[i], k, -(share * x))
            added[i] = added[i] - share * added[p]
        W[p][p] = inverse
    found = list[Affine]()
    for p in range(n):
        terms = [(-(W[p][p] * W[p][j]), found[j]) for j in range(p)]
        row, constant = combine_affine([(W[p][p], (rows[p], added[p])), *terms], 0.0)
        found.append((row, constant))
    return found


def find_pivots(samples: Float[np.ndarray, "N n m"]) -> list[tuple[int, int]]:
    """Return rows and columns in which to eliminate matrices, all in one order: their pivots vanish at few of them.

    There are fewer than rows where no order does so.
    """
    left, found = np.array(samples, dtype=float), list[tuple[int, int]]()
    scale = np.abs(left).max(axis=(1, 2), initial=LITTLE, keepdims=True)
    rows, columns = list(range(left.shape[1])), list(range(left.shape[2]))
    while rows and columns:
        sizes = np.quantile(np.abs(left / scale), 0.25, axis=0)
        i, j = max(product(rows, columns), key=lambda place: sizes[place])
        if sizes[i, j] < VANISHED:
            break
        found.append((i, j))
        pivot = np.where(np.abs(left[:, i, j]) < LITTLE, LITTLE, left[:, i, j])
        left = left - left[:, :, j, None] / pivot[:, None, None] * left[:, i, None, :]
        rows.remove(i)
        columns.remove(j)
    return found


def solve_in_order(a: Sequence[Sequence[Number]], right: Sequence[Affine], order: Sequence[tuple[int, int]]) -> Any:
    """Return the x with a x = b, by Gauss and Jordan in an order of rows and columns."""
    rows, right = [to_sparse_rows([row])[0] for row in a], list(right)
    for i, j in order:
        inverse = 1.0 / rows[i][j]
        own, right[i] = {k: x * inverse for k, x in rows[i].items()}, scale_affine(right[i], inverse)
        rows[i] = own
        for r in range(len(rows)):
            share = rows[r].get(j, 0.0)
            if r == i or is_zero(share):
                continue
            for k, x in own.items():
                if k != j:
                    add_entry(rows[r], k, -(share * x))
            del rows[r][j]
            right[r] = combine_affine([(1.0, right[r]), (-share, right[i])], 0.0)
    return [right[i] for i, _ in sorted(order, key=lambda place: place[1])]
