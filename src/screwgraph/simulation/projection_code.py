"""Projections onto the constraints of loops and couplings as code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.compiler import Settle, Stage
from screwgraph.simulation.memory import Memory
from screwgraph.simulation.step_code import SmallSteps, TapeVectors, stage_of
from screwgraph.spatial.manifolds import product
from screwgraph.tape import Number

if TYPE_CHECKING:
    from screwgraph.simulation.constraints import Constraints


TOLERANCE = 1e-10
"""Loop-closure error (rad, m) that a step may leave."""
ITERATIONS = 20


def projection(constraints: Constraints, space: SmallSteps, memory: Memory) -> tuple[Settle, Stage]:
    """Return what closes loops and couplings by Newton's steps, and what takes away the velocities that they forbid."""
    function = constraints.function
    memory.add("along", len(constraints.bound))
    memory.add("K", len(constraints.places[0]))
    look = stage_of(function, memory, [a.name for a in function.arguments], ("gaps", "along", "K"))
    bounds = [(place, TOLERANCE) for place in memory.places("gaps")[: constraints.kept]]
    bounds += zip(memory.places("along"), constraints.bound.tolist(), strict=True)
    closed = Settle(look, _newton(constraints, space, memory), tuple(bounds), ITERATIONS)
    return closed, _allowed(constraints, memory)


def _newton(constraints: Constraints, space: SmallSteps, memory: Memory) -> Stage:
    """Move q by the least step that closes the loops, and loop joints to where they are."""
    vectors = TapeVectors(memory)
    q, gaps, x, along = (vectors.read(name) for name in ("q", "gaps", "x", "along"))
    K = matrix(constraints.kept, len(memory.places("qd")), constraints.places, vectors.read("K"))
    space.turns.clear()
    ahead = space.retract(q, closing_step(K, list(gaps[: constraints.kept])))
    loops = product(loop.type.manifold for loop in constraints.robot.loops)
    turns = [*space.turns, *loops.turns(along)]
    memory.add("turns of Newton", len(turns))
    return vectors.stage(("q", ahead), ("x", loops.retract(x, along)), ("turns of Newton", turns))


def _allowed(constraints: Constraints, memory: Memory) -> Stage:
    vectors = TapeVectors(memory)
    qd = vectors.read("qd")
    K = matrix(constraints.kept, len(qd), constraints.places, vectors.read("K"))
    return vectors.stage(("qd", list(allowed(K, qd))))


def matrix(rows: int, columns: int, places: Any, entries: Iterable[Number]) -> list[list[Number]]:
    """Return a matrix of the entries that may differ from zero, and of their rows and columns."""
    K: list[list[Number]] = [[0.0] * columns for _ in range(rows)]
    for i, j, entry in zip(*places, entries, strict=True):
        K[i][j] = entry
    return K


def closing_step(K: Sequence[Sequence[Number]], gaps: Sequence[Number]) -> np.ndarray:
    """Return the least step d with K d = -gaps: Newton's."""
    return -_transposed_times(K, _solved(K, gaps))


def allowed(K: Sequence[Sequence[Number]], qd: np.ndarray) -> np.ndarray:
    """Return the nearest velocity with K qd = 0."""
    forbidden = [_dot(row, list(qd)) for row in K]
    return qd - _transposed_times(K, _solved(K, forbidden))


def _solved(K: Sequence[Sequence[Number]], b: Sequence[Number]) -> list[Number]:
    """Solve K K' y = b: factors L D L' of a positive definite matrix; what is zero for its place costs nothing."""
    n = len(b)
    L: list[list[Number]] = [[0.0] * n for _ in range(n)]
    scaled: list[list[Number]] = [[0.0] * n for _ in range(n)]
    y, inverse = list(b), [0.0] * n
    for i in range(n):
        for j in range(i):
            scaled[i][j] = _dot(K[i], K[j]) - _dot(scaled[i][:j], L[j][:j])
            L[i][j] = scaled[i][j] * inverse[j]
        inverse[i] = 1.0 / (_dot(K[i], K[i]) - _dot(scaled[i][:i], L[i][:i]))
        y[i] = y[i] - _dot(L[i][:i], y[:i])
    y = [value * d for value, d in zip(y, inverse, strict=True)]
    for i in reversed(range(n)):
        y[i] = y[i] - _dot([L[j][i] for j in range(i + 1, n)], y[i + 1 :])
    return y


def _dot(a: Sequence[Number], b: Sequence[Number]) -> Number:
    total: Number = 0.0
    for x, y in zip(a, b, strict=True):
        if not (isinstance(x, float) and x == 0.0) and not (isinstance(y, float) and y == 0.0):
            total = total + x * y
    return total


def _transposed_times(K: Sequence[Sequence[Number]], y: Sequence[Number]) -> np.ndarray:
    return np.array([_dot(column, y) for column in zip(*K, strict=True)], dtype=object)
