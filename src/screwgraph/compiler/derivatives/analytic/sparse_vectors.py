"""Three-vectors of numbers of any kind, as lists: what vanishes is a plain zero and costs nothing."""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.tape import Number

Vector = Sequence[Number]
Matrix = Sequence[Vector]
Pair = tuple[Vector, Vector]
"""Twist (omega, v) or wrench (moment, force), angular part first."""
ZERO: Vector = (0.0, 0.0, 0.0)
NOTHING: Pair = (ZERO, ZERO)
EYE: Matrix = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))


def add(*vectors: Vector) -> Vector:
    """Return a sum."""
    return [_total(entries) for entries in zip(*vectors, strict=True)]


def scale(s: Number, a: Vector) -> Vector:
    """Return s a."""
    return [s * x for x in a]


def dot(a: Vector, b: Vector) -> Number:
    """Return a' b."""
    return _total([x * y for x, y in zip(a, b, strict=True)])


def cross(a: Vector, b: Vector) -> Vector:
    """Return a x b."""
    return [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]


def add_pairs(*pairs: Pair) -> Pair:
    """Return a sum of twists, or of wrenches."""
    return add(*(p[0] for p in pairs)), add(*(p[1] for p in pairs))


def power(twist: Pair, wrench: Pair) -> Number:
    """Return twist' wrench."""
    return dot([*twist[0], *twist[1]], [*wrench[0], *wrench[1]])


def lie_bracket(a: Pair, b: Pair) -> Pair:
    """Return the Lie bracket [ad_a] b of twists. Lynch & Park (8.30)."""
    return cross(a[0], b[0]), add(cross(a[0], b[1]), cross(a[1], b[0]))


def rate_of_wrench(twist: Pair, wrench: Pair) -> Pair:
    """Return the rate -[ad_a]' w of a wrench that moves with a twist."""
    moment, force = wrench
    return add(cross(twist[0], moment), cross(twist[1], force)), cross(twist[0], force)


def double_pair(pair: Pair) -> Pair:
    """Return 2 a of a twist, or a wrench."""
    return scale(2.0, pair[0]), scale(2.0, pair[1])


def combine_pairs(coefficients: Sequence[Number], pairs: Sequence[Pair]) -> Pair:
    """Return a linear combination of twists."""
    terms = [(scale(x, p[0]), scale(x, p[1])) for x, p in zip(coefficients, pairs, strict=True)]
    return add_pairs(NOTHING, *terms)


def multiply_vector(A: Matrix, a: Vector) -> Vector:
    """Return A a."""
    return [dot(row, a) for row in A]


def transpose(A: Matrix) -> Matrix:
    """Return A'."""
    return [list(column) for column in zip(*A, strict=True)]


def multiply_matrices(A: Matrix, *others: Matrix) -> Matrix:
    """Return A B C ..., from the left."""
    for B in others:
        A = [multiply_vector(transpose(B), row) for row in A]
    return A


def outer(a: Vector, b: Vector) -> Matrix:
    """Return a b'."""
    return [[x * y for y in b] for x in a]


def add_matrices(*matrices: Matrix) -> Matrix:
    """Return a sum."""
    return [add(*rows) for rows in zip(*matrices, strict=True)]


def cross_columns(a: Vector, A: Matrix) -> Matrix:
    """Return [a] A: a x each column."""
    return transpose([cross(a, column) for column in transpose(A)])


def trace_minus(A: Matrix) -> Matrix:
    """Return trace(A) - A."""
    (a, b, c), (d, e, f), (g, h, i) = A
    return [[e + i, -b, -c], [-d, a + i, -f], [-g, -h, a + e]]


def _total(numbers: Sequence[Number]) -> Number:
    total = numbers[0]
    for number in numbers[1:]:
        total = total + number
    return total
