"""Cholesky's factorisation of the first columns of a front, in loops that become vectors; see `backends.llvm.loops`.

A front is [[H], [g']], H of M columns with its lower triangle only, column by column with a stride of M + 1.
"""

from __future__ import annotations

from math import sqrt

from screwgraph.compiler.backends.llvm.loops import Reals, behind


def less_one(to: Reals, a: Reals, x: float, n: int) -> None:
    """Subtract a x."""
    for i in range(n):
        to[i] = to[i] - a[i] * x


def less_two(to: Reals, a: Reals, b: Reals, x: float, y: float, n: int) -> None:
    """Subtract a x + b y."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y)


def less_three(to: Reals, a: Reals, b: Reals, c: Reals, x: float, y: float, z: float, n: int) -> None:
    """Subtract a x + b y + c z."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y + c[i] * z)


def less_four(
    to: Reals, a: Reals, b: Reals, c: Reals, d: Reals, x: float, y: float, z: float, u: float, n: int
) -> None:
    """Subtract a x + b y + c z + d u."""
    for i in range(n):
        to[i] = to[i] - (a[i] * x + b[i] * y + (c[i] * z + d[i] * u))


def scaled_by(to: Reals, x: float, n: int) -> None:
    """Multiply by x."""
    for i in range(n):
        to[i] = to[i] * x


def factored_front(front: Reals, f: int, M: int, tiny: float) -> int:
    """Factor the first f of M columns; return the first one whose pivot is not positive beyond rounding, or -1.

    The rest becomes the Schur complement. Up to four columns are taken off the rest at once.
    """
    ld = M + 1
    j = 0
    while j < f:
        count = f - j
        if count > 4:
            count = 4
        for k in range(j, j + count):
            own = behind(front, k * ld)
            before = own[k]
            for i in range(j, k):
                less_one(behind(own, k), behind(front, i * ld + k), front[i * ld + k], ld - k)
            pivot = own[k]
            if not pivot > tiny * before:
                return k
            scaled_by(behind(own, k), 1.0 / sqrt(pivot), ld - k)
        for k in range(j + count, M):
            n = ld - k
            a = behind(front, j * ld + k)
            to = behind(front, k * ld + k)
            if count == 4:
                b = behind(a, ld)
                c = behind(b, ld)
                d = behind(c, ld)
                less_four(to, a, b, c, d, a[0], b[0], c[0], d[0], n)
            elif count == 3:
                b = behind(a, ld)
                c = behind(b, ld)
                less_three(to, a, b, c, a[0], b[0], c[0], n)
            elif count == 2:
                b = behind(a, ld)
                less_two(to, a, b, a[0], b[0], n)
            else:
                less_one(to, a, a[0], n)
        j = j + count
    return -1


DENSE = (less_one, less_two, less_three, less_four, scaled_by, factored_front)
