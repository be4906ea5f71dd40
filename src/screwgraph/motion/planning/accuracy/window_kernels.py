"""Errors carried from step to step by n x n matrices T, row by row, as machine code; see `compiler.kernels`."""

from __future__ import annotations

from functools import cache
from typing import Any

from numpy import maximum

from screwgraph.compiler.kernels import Ints, Reals, compile_kernels, tail


def multiply_matrices(to: Reals, a: Reals, b: Reals, rows: int, n: int) -> None:
    """Write a b, a of some rows and n columns, b square."""
    for i in range(rows):
        row = tail(to, i * n)
        for j in range(n):
            row[j] = 0.0
        for k in range(n):
            x = a[i * n + k]
            other = tail(b, k * n)
            for j in range(n):
                row[j] = row[j] + x * other[j]


def exceeds_norm(matrix: Reals, rest: Reals, n: int, most: float) -> int:
    """Return 1 where the spectral norm of M is larger than `most`, else 0.

    That is where most^2 - M'M is not positive definite, which Gauss's elimination tells without eigenvalues.
    Frobenius' norm, which is at least the other one, is found first.
    """
    total = 0.0
    for i in range(n * n):
        total = total + matrix[i] * matrix[i]
    if total <= most * most:
        return 0
    for i in range(n):
        row = tail(rest, i * n)
        for j in range(n):
            row[j] = 0.0
        row[i] = most * most
        for k in range(n):
            x = matrix[k * n + i]
            other = tail(matrix, k * n)
            for j in range(n):
                row[j] = row[j] - x * other[j]
    for p in range(n):
        pivots = tail(rest, p * n)
        if not pivots[p] > 0.0:
            return 1
        for i in range(p + 1, n):
            x = pivots[i] / pivots[p]
            row = tail(rest, i * n)
            for j in range(i, n):
                row[j] = row[j] - x * pivots[j]
    return 0


def find_starts(
    transitions: Reals, way: Reals, begin: Reals, end: Reals, most: float,
    grown: Reals, next_grown: Reals, scaled: Reals, rest: Reals, starts: Ints, nv: int, count: int,
) -> None:  # fmt: skip
    """Write which steps begin a window: products of T from there on are no larger than `most`.

    Positions are measured by `way`, velocities by that in the time of the window.
    """
    n = 2 * nv
    since = 0
    for k in range(count):
        transition = tail(transitions, k * n * n)
        starts[k] = 1
        if k > 0:
            multiply_matrices(next_grown, transition, grown, n, n)
            lasting = end[k] - begin[since]
            for i in range(n):
                row_scale = way[i % nv]
                if i >= nv:
                    row_scale = row_scale / lasting
                for j in range(nv):
                    scaled[i * n + j] = next_grown[i * n + j] * way[j] / row_scale
                    scaled[i * n + nv + j] = next_grown[i * n + nv + j] * (way[j] / lasting) / row_scale
            starts[k] = exceeds_norm(scaled, rest, n, most)
        if starts[k] == 1:
            since = k
            for i in range(n * n):
                grown[i] = transition[i]
        else:
            for i in range(n * n):
                grown[i] = next_grown[i]


def accumulate_errors(
    defects: Reals, transitions: Reals, errors: Reals, starts: Ints, change: Reals, ends: Reals, n: int, count: int
) -> None:
    """Write errors at the ends of steps that begin where those before end, by defects at other errors."""
    for k in range(count):
        first = k * n
        for i in range(n):
            change[i] = -errors[first + i]
            if starts[k] == 0:
                change[i] = change[i] + ends[first - n + i]
        for i in range(n):
            row = tail(transitions, (first + i) * n)
            total = defects[first + i]
            for j in range(n):
                total = total + row[j] * change[j]
            ends[first + i] = total


def share_errors(
    defects: Reals, transitions: Reals, way: Reals, starts: Ints,
    onward: Reals, next_onward: Reals, found: Reals, nv: int, count: int,
) -> None:  # fmt: skip
    """Write by how much, relative to `way`, the defect of each step moves the position at the end of its window."""
    n = 2 * nv
    is_last = 1
    for back in range(count):
        k = count - 1 - back
        if is_last == 1:
            for i in range(nv * n):
                onward[i] = 0.0
            for i in range(nv):
                onward[i * n + i] = 1.0
        largest = 0.0
        for i in range(nv):
            total = 0.0
            for j in range(n):
                total = total + onward[i * n + j] * defects[k * n + j]
            largest = maximum(largest, abs(total) / way[i])
        found[k] = largest
        is_last = starts[k]
        if is_last == 0:
            multiply_matrices(next_onward, onward, tail(transitions, k * n * n), nv, n)
            for i in range(nv * n):
                onward[i] = next_onward[i]


@cache
def compile_window_code() -> Any:
    """Return the machine code."""
    kernels = (multiply_matrices, exceeds_norm, find_starts, accumulate_errors, share_errors)
    return compile_kernels(kernels).functions
