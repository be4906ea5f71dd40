"""Factorizations of small matrices of floats."""

from __future__ import annotations

import math
import operator
from typing import Any

from numpy.array import array, asarray, ndarray


def qr(a: Any, mode: str = "full", pivoting: bool = False) -> tuple[ndarray, ndarray]:
    """Return R and the order of columns in A P = Q R, mode "r" with pivoting: reflections of the largest column left.

    Of equal columns the first is taken, as LAPACK does.
    """
    if mode != "r" or not pivoting:
        raise ValueError('only qr(a, mode="r", pivoting=True) is known here')
    columns = [[float(x) for x in column] for column in asarray(a).T.tolist()]
    order, rows = list(range(len(columns))), len(columns[0]) if columns else 0
    for k in range(min(rows, len(columns))):
        best = max(range(k, len(columns)), key=lambda j: math.hypot(*columns[j][k:]))
        columns[k], columns[best] = columns[best], columns[k]
        order[k], order[best] = order[best], order[k]
        v = columns[k][k:]
        size = math.copysign(math.hypot(*v), -v[0])
        v[0] -= size
        square = sum(map(operator.mul, v, v))
        for column in columns[k:] if square else ():
            share = 2.0 * sum(map(operator.mul, v, column[k:])) / square
            column[k:] = [x - share * y for x, y in zip(column[k:], v, strict=True)]
        columns[k][k + 1 :] = [0.0] * (rows - k - 1)
    return array([list(row) for row in zip(*columns, strict=True)]), array(order)
