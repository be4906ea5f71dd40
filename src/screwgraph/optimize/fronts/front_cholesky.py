"""Cholesky's factorisation of the first columns of a front, and substitution; see `compiler.kernels`.

A front is [[H], [g']], H of M columns with its lower triangle only, column by column with a stride of M + 1.
"""

from __future__ import annotations

from math import sqrt

from screwgraph.compiler.kernels import Reals, assembled, tail
from screwgraph.compiler.kernels.dense.panel_products import (
    emit_added_products,
    emit_division,
    emit_subtracted_products,
)


def subtract_one(to: Reals, a: Reals, x: float, n: int) -> None:
    """Subtract a x."""
    for i in range(n):
        to[i] = to[i] - a[i] * x


def subtract_four(
    to: Reals, a: Reals, b: Reals, c: Reals, d: Reals, x: float, y: float, z: float, u: float, n: int
) -> None:
    """Subtract a x + b y + c z + d u."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y + (c[i] * z + d[i] * u))


@assembled(emit_subtracted_products)
def subtract_products(to: Reals, a: Reals, ld: int, n: int, k: int, width: int) -> None:
    """Subtract from each of some columns the product of k columns with its own entries of these."""
    for c in range(width):
        for p in range(k):
            x = a[p * ld + c]
            for r in range(n):
                to[c * ld + r] = to[c * ld + r] - a[p * ld + r] * x


@assembled(emit_added_products)
def add_products(to: Reals, a: Reals, ld: int, n: int, k: int, width: int) -> None:
    """Add to each of some columns the product of k columns with its own entries of these."""
    for c in range(width):
        for p in range(k):
            x = a[p * ld + c]
            for r in range(n):
                to[c * ld + r] = to[c * ld + r] + a[p * ld + r] * x


@assembled(emit_division)
def divide_rows(to: Reals, ld: int, n: int, width: int) -> None:
    """Multiply rows from number `width` on by the inverse of the transposed triangle above them."""
    for c in range(width):
        for r in range(width, n):
            x = to[c * ld + r]
            for b in range(c):
                x = x - to[b * ld + r] * to[b * ld + c]
            to[c * ld + r] = x / to[c * ld + c]


def factor_four(to: Reals, ld: int, tiny: float) -> int:
    """Factor the first rows of four columns, as `factor_triangle`, in registers; roots do not wait for each other."""
    b = tail(to, ld)
    c = tail(b, ld)
    d = tail(c, ld)
    if not to[0] > 0.0:
        return 0
    part = 1.0 / to[0]
    b0 = to[1] * part
    c0 = to[2] * part
    d0 = to[3] * part
    second = b[1] - b0 * to[1]
    if not second > tiny * b[1]:
        b[1] = second
        return 1
    part = 1.0 / second
    left_c = b[2] - c0 * to[1]
    left_d = b[3] - d0 * to[1]
    c1 = left_c * part
    d1 = left_d * part
    third = c[2] - c0 * to[2] - c1 * left_c
    if not third > tiny * c[2]:
        c[2] = third
        return 2
    left = c[3] - d0 * to[2] - d1 * left_c
    d2 = left / third
    fourth = d[3] - d0 * to[3] - d1 * left_d - d2 * left
    if not fourth > tiny * d[3]:
        d[3] = fourth
        return 3
    root = sqrt(to[0])
    to[0] = root
    to[1] = b0 * root
    to[2] = c0 * root
    to[3] = d0 * root
    root = sqrt(second)
    b[1] = root
    b[2] = c1 * root
    b[3] = d1 * root
    root = sqrt(third)
    c[2] = root
    c[3] = d2 * root
    d[3] = sqrt(fourth)
    return -1


def factor_triangle(to: Reals, ld: int, width: int, tiny: float) -> int:
    """Factor the first rows of some columns; return the first one whose pivot is not positive, or -1."""
    if width == 4:
        return factor_four(to, ld, tiny)
    for c in range(width):
        before = to[c * ld + c]
        for b in range(c):
            x = to[b * ld + c]
            for r in range(c, width):
                to[c * ld + r] = to[c * ld + r] - to[b * ld + r] * x
        pivot = to[c * ld + c]
        if not pivot > tiny * before:
            return c
        root = sqrt(pivot)
        for r in range(c, width):
            to[c * ld + r] = to[c * ld + r] / root
    return -1


def factor_front(front: Reals, f: int, M: int, tiny: float) -> int:
    """Factor the first f of M columns; return the first one whose pivot is not positive beyond rounding, or -1.

    The rest becomes the Schur complement. Columns go by up to four: all that those before take off them comes at once.
    What stands above the diagonal is overwritten.
    """
    ld = M + 1
    j = 0
    while j < f:
        count = f - j
        if count > 4:
            count = 4
        to = tail(front, j * ld + j)
        if j > 0:
            subtract_products(to, tail(front, j), ld, ld - j, j, count)
        bad = factor_triangle(to, ld, count, tiny)
        if bad >= 0:
            return j + bad
        divide_rows(to, ld, ld - j, count)
        j = j + count
    while j < M:
        count = M - j
        if count > 4:
            count = 4
        subtract_products(tail(front, j * ld + j), tail(front, j), ld, ld - j, f, count)
        j = j + count
    return -1


def dot_product(a: Reals, b: Reals, n: int) -> float:
    """Return a'b."""
    total = 0.0
    for i in range(n):
        total = total + a[i] * b[i]
    return total


def substitute_front(front: Reals, x: Reals, f: int, M: int) -> None:
    """Write the first f of M directions, given the others in x, that a factored front leads to."""
    for j in range(f - 1, -1, -1):
        column = tail(front, j * (M + 1))
        x[j] = -(column[M] + dot_product(tail(column, j + 1), tail(x, j + 1), M - j - 1)) / column[j]


DENSE = (
    subtract_one,
    subtract_four,
    subtract_products,
    add_products,
    divide_rows,
    factor_four,
    factor_triangle,
    factor_front,
    dot_product,
    substitute_front,
)
