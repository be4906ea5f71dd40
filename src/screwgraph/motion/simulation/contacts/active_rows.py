"""Impulses of rows that are active: where contacts stick or are open, laws are one linear system.

Active rows hold a velocity, the impulses of others are given. A step that follows another has mostly the same active
rows, so that one symmetric factor solves it, in the place of sweeps.
"""

from __future__ import annotations

from collections.abc import Sequence

from screwgraph.motion.simulation.contacts.laws import TINY, Numbers
from screwgraph.motion.simulation.contacts.sweeps import ImpulseProblem
from screwgraph.optimize.dense_factors import factor_diagonal, solve_unit_lower, solve_unit_upper
from screwgraph.spatial import choose, maximum
from screwgraph.tape import Number
from screwgraph.tape.sparse_rows import Row

SINGULAR = 1e-9
"""Least pivot, relative to its diagonal, of a row that moves bodies in a way that rows before it do not."""


def solve_active_rows(problem: ImpulseProblem, x: Numbers) -> tuple[list[Number], Number]:
    """Return impulses, and the largest velocity (m/s) by which they do not obey the laws; x are those to begin with.

    Where bodies cannot move differently along a row than along those before it, its impulse stays what it is.
    """
    begun, active, aims = list[Number](), list[Number](), list[Number]()
    for law, rows, values, prepared in problem.blocks():
        guessed = law.guess(x[rows], problem.b[rows], values, prepared)
        for own, part in zip((begun, active, aims), guessed, strict=True):
            own += part
    right = [aim - problem.velocity(begun, row) for row, aim in enumerate(aims)]
    change = solve_masked(problem.G, active, right)
    found = [a + b for a, b in zip(begun, change, strict=True)]
    return found, problem.residual(found)


def solve_masked(G: Sequence[Row], active: Numbers, right: Numbers) -> list[Number]:
    """Return the y with G y = b in the active rows and columns, zero in others; G is a lower triangle by rows.

    L D L' = G with D^-1 zero where rows are not active: they change no other.
    """

    def invert(i: int, pivot: Number, diagonal: Number) -> Number:
        least = SINGULAR * diagonal
        return choose(pivot > least, active[i], 0.0) / maximum(pivot, least + TINY)

    L, inverse = factor_diagonal([[row.get(j, 0.0) for j in range(i + 1)] for i, row in enumerate(G)], invert)
    y = [a * d for a, d in zip(solve_unit_lower(L, right), inverse, strict=True)]
    return solve_unit_upper(L, y)
