"""Projections onto the constraints of loops and couplings as code."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.motion.simulation.correction_loop import make_correction_loop
from screwgraph.motion.simulation.step_code import TapeVectors, TracedSteps, make_block
from screwgraph.spatial.manifolds import product
from screwgraph.tape import Block, Memory, Number, Part, least_norm

if TYPE_CHECKING:
    from screwgraph.motion.simulation.constraints import Constraints


TOLERANCE = 1e-10
"""Loop-closure error (rad, m) that a step may leave."""
ITERATIONS = 20


def make_projection(constraints: Constraints, space: TracedSteps, memory: Memory) -> tuple[Part, ...]:
    """Return what closes loops and couplings by Newton's steps, and what takes away the velocities that they forbid."""
    function = constraints.function
    memory.add("along", len(constraints.bound))
    memory.add("K", len(constraints.places[0]))
    look = make_block(function, memory, [a.name for a in function.arguments], ("gaps", "along", "K"))
    bounds = [(place, TOLERANCE) for place in memory.places("gaps")[: constraints.kept]]
    bounds += zip(memory.places("along"), constraints.bound.tolist(), strict=True)
    newton = _newton(constraints, space, memory)
    return *make_correction_loop(look, newton, bounds, ITERATIONS, memory), _velocity_block(constraints, memory)


def _newton(constraints: Constraints, space: TracedSteps, memory: Memory) -> Block:
    """Move q by the least step that closes the loops, and loop joints to where they are."""
    vectors = TapeVectors(memory)
    q, gaps, x, along = (vectors.read_vector(name) for name in ("q", "gaps", "x", "along"))
    K = fill_matrix(constraints.kept, len(memory.places("qd")), constraints.places, vectors.read_vector("K"))
    space.turns.clear()
    ahead = space.retract(q, solve_closing_step(K, list(gaps[: constraints.kept])))
    loops = product(loop.type.manifold for loop in constraints.robot.loops)
    turns = [*space.turns, *loops.turns(along)]
    memory.add("turns of Newton", len(turns))
    return vectors.block("newton", ("q", ahead), ("x", loops.retract(x, along)), ("turns of Newton", turns))


def _velocity_block(constraints: Constraints, memory: Memory) -> Block:
    vectors = TapeVectors(memory)
    qd = vectors.read_vector("qd")
    K = fill_matrix(constraints.kept, len(qd), constraints.places, vectors.read_vector("K"))
    return vectors.block("allowed", ("qd", list(project_velocity(K, qd))))


def fill_matrix(rows: int, columns: int, places: Any, entries: Iterable[Number]) -> list[list[Number]]:
    """Return a matrix of the entries that may differ from zero, and of their rows and columns."""
    K: list[list[Number]] = [[0.0] * columns for _ in range(rows)]
    for i, j, entry in zip(*places, entries, strict=True):
        K[i][j] = entry
    return K


def solve_closing_step(K: Sequence[Sequence[Number]], gaps: Sequence[Number]) -> np.ndarray:
    """Return the least step d with K d = -gaps: Newton's."""
    return -least_norm(K, gaps)


def project_velocity(K: Sequence[Sequence[Number]], qd: np.ndarray) -> np.ndarray:
    """Return the nearest velocity with K qd = 0."""
    return qd - least_norm(K, list(np.array(K, dtype=object) @ qd))
