"""All positions of a closed chain from those of its independent joints, and how they change with these."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.completion.base import Solution
from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.mechanics.dynamics.completion.scalar_row import match_scalar_row
from screwgraph.mechanics.dynamics.completion.two_circles import match_two_circles
from screwgraph.model.robot import Robot, constraint_residual, independent_coordinates, regular_states
from screwgraph.model.robot.closure.closing_newton import characteristic_length
from screwgraph.model.robot.parameters import Parameter, with_numbers
from screwgraph.spatial import Array, choose, maximum, minimum, vanishing
from screwgraph.tape import Number, Tape, gradient, guard, least_norm, program
from screwgraph.tape.block_triangular import find_blocks as find_triangular_blocks

CLOSED_SAMPLES, OPEN_SAMPLES = 2, 3
"""Positions that mobility met, and random ones, at which it is seen what rows depend on."""

ZERO = 1e-9
"""Derivatives below this part of the largest of their row count as zero: axes of files are rounded."""


@dataclass(frozen=True, eq=False)
class Linear:
    """The coordinates of a block whose rows are linear in them with constant coefficients: `inverse` are theirs."""

    __repr__ = one_line
    takes_guess = False

    block: Block
    inverse: Float[np.ndarray, "n n"]

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's coordinates filled in."""
        at = q.copy()
        at[self.block.places] = 0.0
        rest = self.block.residual(at)
        at[self.block.places] = [-sum(a * r for a, r in zip(row, rest, strict=True)) for row in self.inverse.tolist()]
        return at


def match_linear(block: Block) -> Linear | None:
    """Return how the coordinates of a block of linear couplings are found; None for other blocks."""
    part, _ = block.part
    if part.loops or not all(coupling.is_linear for coupling in part.couplings):
        return None
    return Linear(block, np.linalg.inv(block.jacobian(block.robot.neutral())))


CLOSED_FORMS: tuple[Callable[[Block], Solution | None], ...] = (match_linear, match_scalar_row, match_two_circles)
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
    lengths: tuple[Parameter, ...] = ()
    """Parameters that say where frames stand: methods take their numbers `p`, one after the other."""

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
        return tuple((block, _chosen(block, states, bool(self.lengths))) for block in find_blocks(self.robot))

    @property
    def takes_guess(self) -> bool:
        """Whether it needs to know nearly where the dependent joints are."""
        return any(solution.takes_guess for _, solution in self.solutions)

    def positions(self, y: Array, guess: Array, p: Sequence[Number] = ()) -> Array:
        """Return q (nq,) from the independent positions, in the assembly mode of a guess (nq,); NaN where it fails."""
        q = np.array(self.robot.neutral().tolist(), dtype=object)
        q[self.independent] = y
        robot = with_numbers(self.robot, self.lengths, p)
        for block, solution in self.solutions:
            own = replace(solution, block=block.with_robot(robot)) if isinstance(solution, Newton) else solution
            q = own.solve(q, guess)
        return q

    def slopes(self, q: Array, p: Sequence[Number] = ()) -> Float[Array, "nv n"]:
        """Return G at a closed position: all velocities are G times those of the independent joints."""
        columns = independent_coordinates(self.robot)
        G = np.zeros((self.robot.nv, len(columns)), dtype=object)
        G[columns] = np.eye(len(columns))
        return self._fill_rows(G, q, p, [np.zeros((len(b.rows), len(columns))) for b, _ in self.solutions])

    def slopes_by_lengths(self, q: Array, p: Sequence[Number]) -> Float[Array, "nv k"]:
        """Return how a closed position moves, in velocity coordinates, with p, while the independent joints stay."""
        still = np.zeros((self.robot.nv, len(p)), dtype=object)
        return self._fill_rows(still, q, p, [self._residual_rates(block, q, p) for block, _ in self.solutions])

    def _fill_rows(self, G: Array, q: Array, p: Sequence[Number], opened: Sequence[Array]) -> Float[Array, "nv m"]:
        """Fill in rows of G, block by block: K G + opened = 0."""
        robot = with_numbers(self.robot, self.lengths, p)
        for (block, _), rest in zip(self.solutions, opened, strict=True):
            own = block.with_robot(robot)
            known = [i for i in range(robot.nv) if i not in block.coordinates]
            A, rest = own.jacobian(q), own.jacobian(q, known) @ G[known] + rest
            for column in range(G.shape[1]):
                G[list(block.coordinates), column] = -_solve_refined(A, rest[:, column])
        return G

    def _residual_rates(self, block: Block, q: Array, p: Sequence[Number]) -> Float[Array, "rows k"]:
        """Return how the residuals of a block change with p while all joints stay."""
        tape = Tape("form")
        joints, lengths = tape.inputs("q", (len(q),)), tape.inputs("p", (len(p),))
        residual = block.with_robot(with_numbers(self.robot, self.lengths, lengths)).residual(joints)
        slopes = [slope for row in residual for slope in gradient(row, list(lengths))]
        code = program(tape, slopes, [f"{name}[{i}]" for name, x in (("q", q), ("p", p)) for i in range(len(x))])
        return np.array(code.on([*q, *p]), dtype=object).reshape(len(residual), len(p))


def find_blocks(robot: Robot) -> tuple[Block, ...]:
    """Return the blocks that determine the dependent coordinates, one after the other.

    The block triangular form of the rows of K that `robot.mobility` keeps: Duff & Reid (1978).
    """
    if not robot.is_closed:
        return ()
    rows = robot.mobility.kept
    dependent = [i for i in range(robot.nv) if i not in set(independent_coordinates(robot))]
    joints = []  # whose coordinates go together
    for joint in robot.joints:
        own = range(robot.v_slices[joint.name].start, robot.v_slices[joint.name].stop)
        joints.append([dependent.index(i) for i in own if i in dependent])
    found = find_triangular_blocks(_pattern(robot, dependent)[list(rows)], joints)
    return tuple(
        Block(robot, tuple(sorted(rows[i] for i in own_rows)), tuple(sorted(dependent[j] for j in columns)))
        for own_rows, columns in found
    )


def _pattern(robot: Robot, coordinates: list[int]) -> Bool[np.ndarray, "rows n"]:
    """Return which coordinates enter the residuals of which rows."""
    rng, found = np.random.default_rng(0), False
    for q in (*robot.mobility.states[:CLOSED_SAMPLES], *(robot.random(rng) for _ in range(OPEN_SAMPLES))):
        slopes = np.abs(_slopes(robot, q, coordinates))
        least = ZERO * slopes.max(axis=1, keepdims=True)
        found = found | np.isnan(slopes) | (least < slopes)
    return np.asarray(found)


def _slopes(robot: Robot, q: Float[np.ndarray, " nq"], coordinates: list[int]) -> Float[np.ndarray, "rows n"]:
    """Return the derivatives of the residuals, by steps that are imaginary: K is what they are where loops are closed.

    A row that is measured in axes that turn with a joint depends on that joint wherever it is open.
    """
    step, columns = 1e-30, []
    for i in coordinates:
        along = np.zeros(robot.nv, dtype=complex)
        along[i] = step * 1j
        with np.errstate(all="ignore"):
            moved = robot.manifold.retract(q.astype(complex), along)
            columns.append(constraint_residual(robot, moved, None, vanishing).imag / step)
    return np.stack(columns, axis=1)


def _solve_refined(A: Array, b: Array) -> Array:
    """Solve A x = b of a regular matrix, refined once: the matrix of `least_norm` has the squared condition number."""
    if len(b) == 1:
        return np.array([b[0] / A[0, 0]], dtype=object)
    x = least_norm(A.tolist(), b.tolist())
    return x + least_norm(A.tolist(), (b - A @ x).tolist())


def _chosen(block: Block, states: list[Float[np.ndarray, " nq"]], are_live: bool) -> Solution:
    """Return the first closed form that closes a block where it was tried, else Newton's steps.

    Where lengths are inputs, loops are left to Newton's steps, which look at all rows, redundant ones, too: no closed
    form that was found for one robot holds for all.
    """
    for kind in () if are_live and block.part[0].loops else CLOSED_FORMS:
        found = kind(block)
        if found is not None and _closes(block, found, states):
            return found
    return Newton.from_block(block)


def _closes(block: Block, solution: Solution, states: list[Float[np.ndarray, " nq"]]) -> bool:
    """Whether a solution closes its block at most positions, from guesses beside them, and is never wrong."""
    tape, rng = Tape("form"), np.random.default_rng(0)
    q, guess = (tape.inputs(name, (block.robot.nq,)) for name in ("q", "guess"))
    code = program(
        tape, list(solution.solve(q, guess)), [f"{name}[{i}]" for name in ("q", "guess") for i in range(len(q))]
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


# A fixed number of Newton's steps from the guess, for blocks without a closed form.

STEPS = 6

LONGEST = 0.5
"""Largest change (rad, m) of a coordinate in a step."""

LAST = 3e-6
"""Largest change in the last step: what it leaves is smaller than the square of that, beside what curvature makes."""

ROUGH = 1e-5
"""Residual, relative to the robot's size, that redundant rows may be left with: files print few digits."""


@dataclass(frozen=True, eq=False)
class Newton:
    """The coordinates of a block by Newton's steps, no coordinate moved too far by any but the last; else NaN."""

    __repr__ = one_line
    takes_guess = True

    block: Block
    size: float
    """The length (m) that closure errors are judged by."""
    steps: int = STEPS

    @classmethod
    def from_block(cls, block: Block) -> Newton:
        """Return the steps that solve a block of a robot whose lengths are numbers."""
        return cls(block, characteristic_length(block.robot))

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's coordinates filled in."""
        at, places = q.copy(), self.block.places
        at[places] = guess[places]
        for left in reversed(range(self.steps)):
            step = -least_norm(self.block.jacobian(at).tolist(), list(self.block.residual(at)))
            longest = _largest(step)
            if left:
                at = self.block.move(at, step * minimum(1.0, LONGEST / maximum(longest, LONGEST)))
                continue
            off = _largest(self.block.every_residual(at))
            is_closed = (longest <= LAST) * (off <= ROUGH * self.size)
            at = self.block.move(at, step)
            at[places] = at[places] * guard(choose(is_closed, 1.0, 0.0), 0.5)
        return at


def _largest(numbers: Array) -> Number:
    largest: Number = 0.0
    for x in np.asarray(numbers, dtype=object).flat:
        largest = maximum(largest, abs(x))
    return largest
