"""Projections onto the constraints of loops and couplings as code.

Corrections go on until numbers in a memory are within their bounds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce
from typing import TYPE_CHECKING, Any

import numpy as np

from screwgraph.motion.simulation.step_code import TapeVectors, TracedSteps, make_block
from screwgraph.spatial.manifolds import product
from screwgraph.tape import Block, Loop, Memory, Number, Part, Tape, When, apply, least_norm, program

if TYPE_CHECKING:
    from screwgraph.motion.simulation.constraints import Constraints


TOLERANCE = 1e-10
"""Loop-closure error (rad, m) that a step may leave."""

ITERATIONS = 20

Bounds = Sequence[tuple[int, float]]
"""Places in memory, and how large the numbers there may be."""


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


def make_bound_test(bounds: Bounds, place: int) -> Block:
    """Return code that writes 1 to a place where all numbers are within their bounds, else 0; NaN is not."""
    tape = Tape(merge="form")
    names = [f"x[{i}]" for i in range(len(bounds))]
    met = _all_within([tape.input(name) for name in names], bounds)
    return Block("within", program(tape, [met], names), tuple(at for at, _ in bounds), (place,))


def make_correction_loop(look: Block, correct: Block, bounds: Bounds, most: int, memory: Memory) -> tuple[Part, ...]:
    """Return parts that look, and correct until what is seen is within `bounds`, or after `most` looks.

    They leave 0 in `open` where it is within, else 1.
    """
    for name in ("open", "looks", "again"):
        memory.add(name, 1)
    (left,), (looks,), (again,) = (memory.places(name) for name in ("open", "looks", "again"))
    tape = Tape(merge="form")
    *numbers, count = (tape.input(f"x[{i}]") for i in range(len(bounds) + 1))
    is_open, more = apply("not", _all_within(numbers, bounds)), count + 1.0
    code = program(
        tape, [is_open, more, apply("and", is_open, more < float(most))], [f"x[{i}]" for i in range(len(bounds) + 1)]
    )
    judge = Block("judge", code, (*(at for at, _ in bounds), looks), (left, looks, again))
    begin = memory.block("begin", [], ["looks"], lambda: [0.0])
    return begin, Loop(again, (look, judge, When(again, (correct,))))


def _all_within(numbers: Sequence[Number], bounds: Bounds) -> Number:
    return reduce(
        lambda a, b: apply("and", a, b), (abs(x) <= bound for x, (_, bound) in zip(numbers, bounds, strict=True)), 1.0
    )


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
