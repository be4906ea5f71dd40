"""All positions of a closed chain from those of its independent joints, and how they change with these."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.dynamics.completion.base import Solution
from screwgraph.dynamics.completion.blocks import blocks
from screwgraph.dynamics.completion.linear import linear
from screwgraph.dynamics.completion.newton import Newton
from screwgraph.dynamics.completion.parts import Block
from screwgraph.dynamics.completion.single import single
from screwgraph.dynamics.completion.two_circles import two_circles
from screwgraph.robot import Robot, independent_coordinates, regular_states
from screwgraph.spatial import Array
from screwgraph.summary import one_line
from screwgraph.tape import Tape, least_norm, program

CLOSED_FORMS: tuple[Callable[[Block], Solution | None], ...] = (linear, single, two_circles)
"""What is tried for a block, the first that closes it is taken; else Newton's steps."""
STATES = 6
NUDGE = 0.02
"""How far guesses are from the positions (rad, m) at which closed forms are tried."""
CLOSED = 1e-8
"""Residual, relative to a robot's length (m), that they may leave there."""


@dataclass(frozen=True, eq=False)
class Completion:
    """The blocks that determine the dependent joints of a robot, and how each is solved.

    Jain (2012), section III: constraint embedding; Chignoli et al. (2023), Algorithm 1, takes positions so.
    """

    __repr__ = one_line

    robot: Robot

    @cached_property
    def independent(self) -> list[int]:
        """Places of the independent positions in q."""
        chosen = set(independent_coordinates(self.robot))
        joints = [j for j in self.robot.joints if self.robot.v_slices[j.name].start in chosen and j.type.nv]
        return [i for j in joints for i in range(self.robot.q_slices[j.name].start, self.robot.q_slices[j.name].stop)]

    @cached_property
    def solutions(self) -> tuple[tuple[Block, Solution], ...]:
        """The blocks in order, each with what solves it."""
        states = regular_states(self.robot, STATES)
        return tuple((block, _chosen(block, states)) for block in blocks(self.robot))

    @property
    def takes_guess(self) -> bool:
        """Whether it needs to know nearly where the dependent joints are."""
        return any(solution.takes_guess for _, solution in self.solutions)

    def positions(self, y: Array, guess: Array) -> Array:
        """Return q (nq,) from the independent positions, in the assembly mode of a guess (nq,); NaN where it fails."""
        q = np.array(self.robot.neutral().tolist(), dtype=object)
        q[self.independent] = y
        for _, solution in self.solutions:
            q = solution.solved(q, guess)
        return q

    def slopes(self, q: Array) -> Float[Array, "nv n"]:
        """Return G at a closed position: all velocities are G times those of the independent joints."""
        columns = independent_coordinates(self.robot)
        G = np.zeros((self.robot.nv, len(columns)), dtype=object)
        G[columns] = np.eye(len(columns))
        for block, _ in self.solutions:
            known = [i for i in range(self.robot.nv) if i not in block.coordinates]
            A, rest = block.jacobian(q), block.jacobian(q, known) @ G[known]
            for column in range(len(columns)):
                G[list(block.coordinates), column] = -_solved(A, rest[:, column])
        return G


def _solved(A: Array, b: Array) -> Array:
    """Solve A x = b of a regular matrix, refined once: the matrix of `least_norm` has the squared condition number."""
    if len(b) == 1:
        return np.array([b[0] / A[0, 0]], dtype=object)
    x = least_norm(A.tolist(), b.tolist())
    return x + least_norm(A.tolist(), (b - A @ x).tolist())


def _chosen(block: Block, states: list[Float[np.ndarray, " nq"]]) -> Solution:
    """Return the first closed form that closes a block where it was tried, else Newton's steps."""
    for kind in CLOSED_FORMS:
        found = kind(block)
        if found is not None and _closes(block, found, states):
            return found
    return Newton(block)


def _closes(block: Block, solution: Solution, states: list[Float[np.ndarray, " nq"]]) -> bool:
    """Whether a solution closes its block at most positions, from guesses beside them, and is never wrong."""
    tape, rng = Tape("form"), np.random.default_rng(0)
    q, guess = (tape.inputs(name, (block.robot.nq,)) for name in ("q", "guess"))
    code = program(
        tape, list(solution.solved(q, guess)), [f"{name}[{i}]" for name in ("q", "guess") for i in range(len(q))]
    )
    at = np.array(states)
    beside = at.copy()
    beside[:, block.places] += NUDGE * rng.uniform(-1.0, 1.0, (len(at), len(block.places)))
    with np.errstate(all="ignore"):
        found = code.evaluate([*at.T, *beside.T])
    ends = np.array([np.broadcast_to(value, len(at)) for value in found], dtype=float).T
    is_number = np.isfinite(ends).all(axis=1)
    left = [float(np.abs(block.residual(end)).max()) for end in ends[is_number]]
    return 2 * int(is_number.sum()) > len(at) and max(left) <= CLOSED
