"""One row for one coordinate in which it is linear, or a sum of a constant, a sine and a cosine."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Float

from screwgraph.base.summary import one_line
from screwgraph.mechanics.dynamics.completion.base import square_root
from screwgraph.mechanics.dynamics.completion.constraint_block import Block
from screwgraph.spatial import Array, atan2, choose, cos, sin
from screwgraph.tape import Number, Scalar, Tape, gradient, program, substitute_scalars

STATES = 8
SAME = 1e-9
"""Relative difference of values that count as the same at all of these states."""


@dataclass(frozen=True, eq=False)
class ScalarRow:
    """The coordinate x of a row r(x) with r'' = -k^2 (r - c); k is 0 where r is linear.

    Of the two solutions of a + b sin(k x) + c cos(k x) = 0 within a turn it is the one on whose side of the extremes
    the guess is, and the turn nearest to the guess.
    """

    __repr__ = one_line

    block: Block
    k: float

    @property
    def takes_guess(self) -> bool:
        """Whether there are several solutions."""
        return self.k != 0.0

    def solve(self, q: Array, guess: Array) -> Array:
        """Return q with the block's coordinate filled in."""
        at, (place,) = q.copy(), self.block.places
        value, slope, bend = self._row.at_zero(q)
        if self.k == 0.0:
            at[place] = -value / slope
            return at
        near = self.k * guess[place]
        b, c = slope / self.k, -bend / self.k**2  # of sine and cosine
        a = value - c
        h = square_root(b * b + c * c - a * a)
        h = choose(c * sin(near) - b * cos(near) < 0.0, -1.0, 1.0) * h
        sine, cosine = c * h - a * b, -a * c - b * h
        turn = atan2(sine * cos(near) - cosine * sin(near), cosine * cos(near) + sine * sin(near))
        at[place] = guess[place] + turn / self.k
        return at

    @cached_property
    def _row(self) -> _Row:
        return _Row(self.block)


class _Row:
    """The row of a block and its derivatives by the one coordinate, on a tape of its own."""

    def __init__(self, block: Block) -> None:
        self.tape, (self.place,) = Tape("form"), block.places
        self.q = self.tape.inputs("q", (block.robot.nq,))
        derivatives: list[Number] = [block.residual(self.q)[0]]
        for _ in range(3):
            derivatives += gradient(derivatives[-1], [self.q[self.place]])
        self.derivatives = derivatives

    def at_zero(self, q: Array) -> list[Number]:
        """Return the row's value and first two derivatives where the coordinate is zero."""
        numbers = {name: value for name, value in zip(self.q, q, strict=True) if isinstance(name, Scalar)}
        return substitute_scalars(self.derivatives[:3], {**numbers, self.q[self.place]: 0.0})

    def values(self, states: Float[np.ndarray, "states nq"]) -> Float[np.ndarray, "4 states"]:
        """Return the row and its first three derivatives at states."""
        code = program(self.tape, self.derivatives)
        with np.errstate(all="ignore"):
            found = code.evaluate([states[:, int(name[2:-1])] for name in code.input_names])
        return np.array([np.broadcast_to(value, len(states)) for value in found], dtype=float)


def match_scalar_row(block: Block) -> ScalarRow | None:
    """Return how the coordinate of a block is found; None where it has several, or where its row is another one."""
    if len(block.places) != 1 or len(block.rows) != 1:
        return None
    rng = np.random.default_rng(0)
    _, first, second, third = _Row(block).values(np.array([block.robot.random(rng) for _ in range(STATES)]))
    if np.abs(second).max() <= SAME * np.abs(first).max():
        return ScalarRow(block, 0.0)
    squares = -third / first
    if not (np.ptp(squares) <= SAME * np.abs(squares).max() and squares.min() > 0.0):
        return None
    return ScalarRow(block, float(np.sqrt(np.median(squares))))
