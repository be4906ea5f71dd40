"""Rotations of symmetric matrices in fewer operations than two products.

Elimination carries an inertia from frame to frame as R^T I R. For the turn of a pair of axes by an angle, a 2x2
block of it is [[a, b], [e, d]] -> [[a - s u, c u - e], [c u - b, d + s u]], u = s (a - d) + c (b + e): 4
multiplications instead of 16, by c^2 + s^2 = 1, which no rearrangement of sums and products finds. A tape knows
values by what they are at random states: what is written there before elimination derives it is what elimination finds.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from screwgraph.elimination.system import System
from screwgraph.graph import Column, Key, Role
from screwgraph.tape import Number, Scalar

TURNED = 1e-14
"""Samples of cosines and sines that agree this well are equal."""


class PlaneRotation(NamedTuple):
    """Two scalars that are two others, turned: first = c x + s y, second = -s x + c y."""

    first: Column
    second: Column
    c: Number
    s: Number


def prepare_rotations(system: System, columns: Iterable[Column]) -> None:
    """Write down what becomes of the coefficients in the equations of wrenches that are about to be carried on."""
    own = {column: system.own_row(column) for column in columns if column[0].role is Role.WRENCH}
    rows = {column: row for column, row in own.items() if row is not None}
    keys = {c[0] for row in rows.values() for c in system.terms[row] if c not in rows}
    wrenches = sorted({column[0] for column in rows})
    for wrench, key in product(wrenches, sorted(keys)):
        turns = [t for pair in ((0, 1), (0, 2), (1, 2)) for at in (0, 3) if (t := _turn(system, key, pair, at))]
        for left, right in combinations_with_replacement(turns, 2):
            pair = [rows.get((wrench, column[1])) for column in left[:2]]
            if None not in pair and _equal(left.c, right.c) and _equal(left.s, right.s):
                _turned_block([system.terms[i] for i in pair if i is not None], right)


def _turned_block(rows: list[dict[Column, Number]], turn: PlaneRotation) -> None:
    (a, b), (e, d) = ([row.get(column, 0.0) for column in turn[:2]] for row in rows)
    u = turn.s * (a - d) + turn.c * (b + e)
    along, across = turn.s * u, turn.c * u
    for x, y in ((a, -along), (d, along), (across, -e), (across, -b)):
        _ = x + y  # stands on the tape now


def _turn(system: System, key: Key, pair: tuple[int, int], at: int) -> PlaneRotation | None:
    """Return two scalars of a variable as a turn of two others, if they are one."""
    first, second = (key, pair[0] + at), (key, pair[1] + at)
    rows = [system.own_row(column) for column in (first, second)]
    if None in rows:
        return None
    terms = [{c: -a for c, a in system.terms[i].items() if c[0] != key} for i in rows if i is not None]
    if len(terms[0]) != 2 or terms[0].keys() != terms[1].keys():
        return None
    x, y = sorted(terms[0])
    c, s = terms[0][x], terms[0][y]
    return PlaneRotation(first, second, c, s) if _equal(terms[1][x], -s) and _equal(terms[1][y], c) else None


def _equal(a: Number, b: Number) -> bool:
    if isinstance(a, Scalar) and isinstance(b, Scalar):
        return all(abs(x - y) <= TURNED for x, y in zip(a.samples, b.samples, strict=True))
    return not isinstance(a, Scalar) and not isinstance(b, Scalar) and abs(a - b) <= TURNED
