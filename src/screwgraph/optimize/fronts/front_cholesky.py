"""Cholesky's factorisation of the first columns of a front, and substitution; see `compiler.kernels`.

A front is [[H], [g']], H of M columns with its lower triangle only, column by column with a stride of M + 1.
"""

from __future__ import annotations

from math import sqrt

from screwgraph.compiler.kernels import Reals, tail


def subtract_one(to: Reals, a: Reals, x: float, n: int) -> None:
    """Subtract a x."""
    for i in range(n):
        to[i] = to[i] - a[i] * x


def subtract_two(to: Reals, a: Reals, b: Reals, x: float, y: float, n: int) -> None:
    """Subtract a x + b y."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y)


def subtract_three(to: Reals, a: Reals, b: Reals, c: Reals, x: float, y: float, z: float, n: int) -> None:
    """Subtract a x + b y + c z."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y + c[i] * z)


def subtract_four(
    to: Reals, a: Reals, b: Reals, c: Reals, d: Reals, x: float, y: float, z: float, u: float, n: int
) -> None:
    """Subtract a x + b y + c z + d u."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y + (c[i] * z + d[i] * u))


def subtract_four_columns(
    to: Reals, to1: Reals, to2: Reals, to3: Reals, a: Reals, b: Reals, c: Reals, d: Reals, n: int
) -> None:
    """Subtract the lower triangle of four columns times their first four rows, from four columns.

    What is read of the four then serves all others, as large fronts wait for memory, not for arithmetic.
    """
    x0 = a[0]
    y0 = b[0]
    z0 = c[0]
    u0 = d[0]
    x1 = a[1]
    y1 = b[1]
    z1 = c[1]
    u1 = d[1]
    x2 = a[2]
    y2 = b[2]
    z2 = c[2]
    u2 = d[2]
    x3 = a[3]
    y3 = b[3]
    z3 = c[3]
    u3 = d[3]
    to[0] = to[0] - (x0 * x0 + y0 * y0 + (z0 * z0 + u0 * u0))
    to[1] = to[1] - (x1 * x0 + y1 * y0 + (z1 * z0 + u1 * u0))
    to[2] = to[2] - (x2 * x0 + y2 * y0 + (z2 * z0 + u2 * u0))
    to[3] = to[3] - (x3 * x0 + y3 * y0 + (z3 * z0 + u3 * u0))
    to1[1] = to1[1] - (x1 * x1 + y1 * y1 + (z1 * z1 + u1 * u1))
    to1[2] = to1[2] - (x2 * x1 + y2 * y1 + (z2 * z1 + u2 * u1))
    to1[3] = to1[3] - (x3 * x1 + y3 * y1 + (z3 * z1 + u3 * u1))
    to2[2] = to2[2] - (x2 * x2 + y2 * y2 + (z2 * z2 + u2 * u2))
    to2[3] = to2[3] - (x3 * x2 + y3 * y2 + (z3 * z2 + u3 * u2))
    to3[3] = to3[3] - (x3 * x3 + y3 * y3 + (z3 * z3 + u3 * u3))
    for i in range(4, n):
        to[i] = to[i] - (a[i] * x0 + b[i] * y0 + (c[i] * z0 + d[i] * u0))
        to1[i] = to1[i] - (a[i] * x1 + b[i] * y1 + (c[i] * z1 + d[i] * u1))
        to2[i] = to2[i] - (a[i] * x2 + b[i] * y2 + (c[i] * z2 + d[i] * u2))
        to3[i] = to3[i] - (a[i] * x3 + b[i] * y3 + (c[i] * z3 + d[i] * u3))


def scale_by(to: Reals, x: float, n: int) -> None:
    """Multiply by x."""
    for i in range(n):
        to[i] = to[i] * x


def factor_front(front: Reals, f: int, M: int, tiny: float) -> int:
    """Factor the first f of M columns; return the first one whose pivot is not positive beyond rounding, or -1.

    The rest becomes the Schur complement. Up to four columns are taken off the rest at once.
    """
    ld = M + 1
    j = 0
    while j < f:
        count = f - j
        if count > 4:
            count = 4
        # The columns j to j + count - 1 among themselves: each takes off those before it, then is scaled by its pivot.
        for k in range(j, j + count):
            own = tail(front, k * ld)
            before = own[k]
            for i in range(j, k):
                subtract_one(tail(own, k), tail(front, i * ld + k), front[i * ld + k], ld - k)
            pivot = own[k]
            if not pivot > tiny * before:
                return k
            scale_by(tail(own, k), 1.0 / sqrt(pivot), ld - k)
        k = j + count
        # The rest takes off all four at once: first four columns at a time, then one by one.
        while count == 4 and k + 4 <= M:
            a = tail(front, j * ld + k)
            b = tail(a, ld)
            c = tail(b, ld)
            to = tail(front, k * ld + k)
            to1 = tail(to, ld)
            to2 = tail(to1, ld)
            subtract_four_columns(to, to1, to2, tail(to2, ld), a, b, c, tail(c, ld), ld - k)
            k = k + 4
        while k < M:
            n = ld - k
            a = tail(front, j * ld + k)
            to = tail(front, k * ld + k)
            if count == 4:
                b = tail(a, ld)
                c = tail(b, ld)
                d = tail(c, ld)
                subtract_four(to, a, b, c, d, a[0], b[0], c[0], d[0], n)
            elif count == 3:
                b = tail(a, ld)
                c = tail(b, ld)
                subtract_three(to, a, b, c, a[0], b[0], c[0], n)
            elif count == 2:
                b = tail(a, ld)
                subtract_two(to, a, b, a[0], b[0], n)
            else:
                subtract_one(to, a, a[0], n)
            k = k + 1
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
    subtract_two,
    subtract_three,
    subtract_four,
    subtract_four_columns,
    scale_by,
    factor_front,
    dot_product,
    substitute_front,
)
