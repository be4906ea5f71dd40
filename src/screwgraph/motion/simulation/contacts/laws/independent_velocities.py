"""Velocities that small loops leave independent: v = S y + K^+ r has K v = r, whatever y is.

Householder's reflections (Golub and Van Loan, section 5.2) turn the velocities of a loop to axes in which rows of K are
triangular. The last axes, along which rows have no entries, are the loop's part of S. They are at right angles wherever
joints of a loop are, also where these fold flat: no joint has to be chosen which gives the others. K^+ is the inverse
of Moore and Penrose, of least velocity.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from screwgraph.base.summary import one_line
from screwgraph.spatial import choose, sqrt
from screwgraph.tape import Number, Row, dot
from screwgraph.tape.sparse_rows import add_entry

FEW = 8
"""Velocities of loops that share some, up to which these are solved for: of more, rows are sparse, and stay rows."""
TINY = 1e-15
"""What is added to the size of a row, so that its inverse is finite where a row vanishes."""


class LoopBlock(NamedTuple):
    """Rows of K that have entries in some columns alone, and the columns."""

    rows: tuple[int, ...]
    columns: tuple[int, ...]


@dataclass(frozen=True, eq=False)
class IndependentVelocities:
    """S and K^+ by rows, one of each velocity; `places` are those of y among all velocities, `kept` other rows of K.

    Velocities of no block are among y as they are.
    """

    __repr__ = one_line

    S: Sequence[Row]
    inverse: Sequence[Row]
    places: Sequence[int]
    kept: Sequence[int]

    def keep_rows(self, K: Sequence[Row]) -> list[Row]:
        """Return the rows of K that are kept, by y: they have no velocity of a block."""
        at = {j: k for k, j in enumerate(self.places)}
        return [{at[j]: x for j, x in K[i].items()} for i in self.kept]


def find_loop_blocks(columns: Sequence[Iterable[int]], first: int = 0) -> tuple[LoopBlock, ...]:
    """Return the blocks of rows of K with entries in `columns`, that have `FEW` of them, none of these before `first`.

    Rows of different blocks share no column.
    """
    groups = list[tuple[set[int], set[int]]]()
    for i, own in enumerate(columns):
        rows, shared = {i}, set(own)
        for group in [group for group in groups if group[1] & shared]:
            groups.remove(group)
            rows, shared = rows | group[0], shared | group[1]
        groups.append((rows, shared))
    found = [LoopBlock(tuple(sorted(rows)), tuple(sorted(own))) for rows, own in groups]
    return tuple(b for b in found if len(b.rows) <= len(b.columns) <= FEW and min(b.columns) >= first)


def keep_rows(blocks: Sequence[LoopBlock], rows: int) -> tuple[int, ...]:
    """Return which of so many rows of K are in no block."""
    solved = {i for block in blocks for i in block.rows}
    return tuple(i for i in range(rows) if i not in solved)


def find_independent_velocities(K: Sequence[Row], n: int, blocks: Sequence[LoopBlock]) -> IndependentVelocities:
    """Return S and K^+ for rows of K by n velocities: of each block the first velocities stand for what is free."""
    given = {j for rows, columns in blocks for j in columns[len(columns) - len(rows) :]}
    places = [j for j in range(n) if j not in given]
    at = {j: k for k, j in enumerate(places)}
    S, inverse = [{at[j]: 1.0} if j in at else {} for j in range(n)], [dict[int, Number]() for _ in range(n)]
    for rows, columns in blocks:
        free, closing = _solve_block([[K[i].get(j, 0.0) for j in columns] for i in rows])
        for j in columns:
            S[j] = {}
        for names, found, matrix in (([at[j] for j in columns[: len(free)]], free, S), (rows, closing, inverse)):
            for name, column in zip(names, found, strict=True):
                for j, x in zip(columns, column, strict=True):
                    add_entry(matrix[j], name, x)
    return IndependentVelocities(S, inverse, places, keep_rows(blocks, len(K)))


def _solve_block(K: Sequence[Sequence[Number]]) -> tuple[list[list[Number]], list[list[Number]]]:
    """Return columns of S, and those of K^+, of few dense rows."""
    left, r, n = [list(row) for row in K], len(K), len(K[0])
    mirrors = list[tuple[list[Number], Number]]()
    for k in range(r):
        first, rest = left[k][k], left[k][k + 1 :]
        below = dot(rest, rest)
        size = sqrt(first * first + below) + TINY
        head = first + choose(first < 0.0, -size, size)
        mirror = [*[0.0] * k, head, *rest], 2.0 / (head * head + below)
        mirrors.append(mirror)
        left = [*left[: k + 1], *(_reflect(mirror, row) for row in left[k + 1 :])]

    def turn_back(axis: list[Number]) -> list[Number]:
        for mirror in reversed(mirrors):
            axis = _reflect(mirror, axis)
        return axis

    free = [turn_back([1.0 if j == k else 0.0 for j in range(n)]) for k in range(r, n)]
    closing = list[list[Number]]()
    for k in range(r):
        axis: list[Number] = [0.0] * n
        for i in range(k, r):  # rows are triangular: L z = r, where -1 / L_ii is what a mirror has
            vector, double = mirrors[i]
            axis[i] = (dot(left[i][:i], axis[:i]) - (1.0 if i == k else 0.0)) * (double * vector[i])
        closing.append(turn_back(axis))
    return free, closing


def _reflect(mirror: tuple[Sequence[Number], Number], axis: Sequence[Number]) -> list[Number]:
    vector, double = mirror
    part = double * dot(vector, axis)
    return [x - part * u for x, u in zip(axis, vector, strict=True)]
