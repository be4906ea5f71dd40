"""Cholesky's factorisation along the steps of a window; see `compiler.kernels`.

Step k has a front [[H], [g']] of M = 2 D + S columns: its own D directions, those of the next step, and S shared ones.
Fronts hold lower triangles, column by column with a stride of M + 1, as in `incremental.dense`. The last front has ones
on the diagonal where the next step would be.
"""

from __future__ import annotations

from functools import cache

from screwgraph.compiler.kernels import Ints, Kernels, Reals, compile_kernels, tail
from screwgraph.optimize.incremental.front_cholesky import DENSE, factor_front


def gather_fronts(
    fronts: Reals, entries: Reals, places: Ints, count: int, gradient: Reals, rows: Ints, size: int
) -> None:
    """Add entries of J'J, and of J'r, at their places."""
    for e in range(count):
        fronts[places[e]] = fronts[places[e]] + entries[e]
    for i in range(size):
        fronts[rows[i]] = fronts[rows[i]] + gradient[i]


def eliminate_fronts(fronts: Reals, steps: int, D: int, S: int, damping: float, tiny: float) -> int:
    """Eliminate all steps, then what is shared; return the first front with a pivot that is not positive, or -1."""
    M = 2 * D + S
    ld = M + 1
    size = M * ld
    for k in range(steps):
        own = tail(fronts, k * size)
        for i in range(M):
            own[i * ld + i] = own[i * ld + i] + damping * own[i * ld + i]
    for k in range(steps):
        own = tail(fronts, k * size)
        f = D
        if k == steps - 1:
            f = M
            for i in range(D, 2 * D):
                own[i * ld + i] = 1.0
        if factor_front(own, f, M, tiny) >= 0:
            return k
        if k < steps - 1:
            to = tail(fronts, (k + 1) * size)
            for j in range(D, 2 * D):
                column = tail(own, j * ld)
                target = tail(to, (j - D) * ld)
                for i in range(j, 2 * D):
                    target[i - D] = target[i - D] + column[i]
                for i in range(2 * D, ld):
                    target[i] = target[i] + column[i]
            for j in range(2 * D, M):
                column = tail(own, j * ld)
                target = tail(to, j * ld)
                for i in range(j, ld):
                    target[i] = target[i] + column[i]
    return -1


def substitute_fronts(fronts: Reals, d: Reals, steps: int, D: int, S: int) -> None:
    """Write the solution of H d = -g, step by step; a step of zeros stands between the last one and what is shared."""
    M = 2 * D + S
    ld = M + 1
    for step in range(steps):
        k = steps - 1 - step
        f = D
        if k == steps - 1:
            f = M
        shared = tail(d, (steps + 1) * D)
        near = tail(d, k * D)
        for back in range(f):
            j = f - 1 - back
            column = tail(fronts, k * M * ld + j * ld)
            x = -column[M]
            first = j + 1
            for i in range(first, 2 * D):
                x = x - column[i] * near[i]
            if first < 2 * D:
                first = 2 * D
            for i in range(first, M):
                x = x - column[i] * shared[i - 2 * D]
            if j < 2 * D:
                near[j] = x / column[j]
            else:
                shared[j - 2 * D] = x / column[j]


@cache
def compile_fronts() -> Kernels:
    """Return these functions as machine code."""
    return compile_kernels((*DENSE, gather_fronts, eliminate_fronts, substitute_fronts))
