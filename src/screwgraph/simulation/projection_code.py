"""Projections onto the constraints of loops and couplings as code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.simulation.bounds_code import settled
from screwgraph.simulation.step_code import SmallSteps, TapeVectors, block_of
from screwgraph.spatial.manifolds import product
from screwgraph.tape import Block, Memory, Number, Part, least_norm

if TYPE_CHECKING:
    from screwgraph.simulation.constraints import Constraints


TOLERANCE = 1e-10
"""Loop-closure error (rad, m) that a step may leave."""
ITERATIONS = 20


def projection(constraints: Constraints, space: SmallSteps, memory: Memory) -> tuple[Part, ...]:
    """Return what closes loops and couplings by Newton's steps, and what takes away the velocities that they forbid."""
    function = constraints.function
    memory.add("along", len(constraints.bound))
    memory.add("K", len(constraints.places[0]))
    look = block_of(function, memory, [a.name for a in function.arguments], ("gaps", "along", "K"))
    bounds = [(place, TOLERANCE) for place in memory.places("gaps")[: constraints.kept]]
    bounds += zip(memory.places("along"), constraints.bound.tolist(), strict=True)
    newton = _newton(constraints, space, memory)
    return *settled(look, newton, bounds, ITERATIONS, memory), _allowed(constraints, memory)


def _newton(constraints: Constraints, space: SmallSteps, memory: Memory) -> Block:
    """Move q by the least step that closes the loops, and loop joints to where they are."""
    vectors = TapeVectors(memory)
    q, gaps, x, along = (vectors.read(name) for name in ("q", "gaps", "x", "along"))
    K = matrix(constraints.kept, len(memory.places("qd")), constraints.places, vectors.read("K"))
    space.turns.clear()
    ahead = space.retract(q, closing_step(K, list(gaps[: constraints.kept])))
    loops = product(loop.type.manifold for loop in constraints.robot.loops)
    turns = [*space.turns, *loops.turns(along)]
    memory.add("turns of Newton", len(turns))
    return vectors.block("newton", ("q", ahead), ("x", loops.retract(x, along)), ("turns of Newton", turns))


def _allowed(constraints: Constraints, memory: Memory) -> Block:
    vectors = TapeVectors(memory)
    qd = vectors.read("qd")
    K = matrix(constraints.kept, len(qd), constraints.places, vectors.read("K"))
    return vectors.block("allowed", ("qd", list(allowed(K, qd))))


def matrix(rows: int, columns: int, places: Any, entries: Iterable[Number]) -> list[list[Number]]:
    """Return a matrix of the entries that may differ from zero, and of their rows and columns."""
    K: list[list[Number]] = [[0.0] * columns for _ in range(rows)]
    for i, j, entry in zip(*places, entries, strict=True):
        K[i][j] = entry
    return K


def closing_step(K: Sequence[Sequence[Number]], gaps: Sequence[Number]) -> np.ndarray:
    """Return the least step d with K d = -gaps: Newton's."""
    return -least_norm(K, gaps)


def allowed(K: Sequence[Sequence[Number]], qd: np.ndarray) -> np.ndarray:
    """Return the nearest velocity with K qd = 0."""
    return qd - least_norm(K, list(np.array(K, dtype=object) @ qd))
