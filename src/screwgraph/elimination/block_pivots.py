"""Unknowns that certain equations determine together: solved as a block where no single pivot is safe.

A linkage's dependent rates follow from its constraints, K_d qdd_d = ...; entries of K_d vanish at some positions at
which its determinant does not. Blocks of up to three are multiplied by their adjugate: only determinants divide.
"""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from itertools import combinations

import numpy as np

from screwgraph.elimination.group import Group
from screwgraph.elimination.pivot import CLEAR, SMALL
from screwgraph.elimination.system import Step, System
from screwgraph.graph import Column
from screwgraph.tape import WIDE, Number, Scalar, dot, is_zero

ADJUGATE = 3
"""Largest block that is solved by its adjugate."""
FEW = 8
"""Up to so many unknowns, blocks are looked for among all pairs and triples."""

Block = tuple[Sequence[Column], Sequence[int]]
"""Unknowns, and as many equations."""


def eliminate_block(system: System, group: Group, waiting: dict[Column, int], steps: list[Step]) -> None:
    """Eliminate a group by as many equations, those that pair with `through`; nothing is done where that may fail.

    What is divided by cannot vanish, or vanishes only where the equations do not determine the unknowns at all.
    """
    paired = [row for column in group.through if (row := system.paired_row(column)) is not None]
    rows = paired if group.through else system.open_rows()
    before, taken = system.copy(), []
    left = [column for column in group.columns if column in waiting]
    while left and len(rows) == len(left):
        block = _safe(system, left, rows) or _find_closed_block(system, left, rows) or _clear(system, left, rows)
        if block is None:
            break
        if len(block[0]) > 1:
            _diagonalise(system, *block)
        for column, row in zip(*block, strict=True):
            taken.append(system.eliminate(column, row, waiting[column]))
            left.remove(column)
            rows.remove(row)
    # All or nothing: a group that is solved in part has spent equations that its other unknowns need.
    if left:
        system.restore(before)
        return
    steps += taken
    for step in taken:
        del waiting[step.column]


def eliminate_safe_block(system: System, waiting: dict[Column, int]) -> list[Step]:
    """Eliminate a few of the unknowns that wait, no one of which has a safe pivot, by a determinant that is one."""
    columns = list(waiting)
    rows = [i for i in system.open_rows() if system.terms[i]]
    block = _clear(system, columns, rows)
    if block is None:
        return []
    _diagonalise(system, *block)
    return [system.eliminate(column, row, waiting.pop(column)) for column, row in zip(*block, strict=True)]


def _safe(system: System, columns: Sequence[Column], rows: Sequence[int]) -> Block | None:
    """Return the best pivot that cannot vanish: constants, and what keeps one sign by far."""
    offers = []
    for column in columns:
        among = system.rows_of.get(column, set()) & set(rows)
        for row in among:
            terms, found = system.terms[row], system.pivot_class(column, row)
            offers += [(found, (len(terms) - 1) * (len(among) - 1), len(terms), row, column)] if found < SMALL else []
    return ([min(offers)[-1]], [min(offers)[-2]]) if offers else None


def _find_closed_block(system: System, columns: Sequence[Column], rows: Sequence[int]) -> Block | None:
    """Return the smallest block of equations that hold no other of the unknowns."""
    held = {row: {c for c in columns if c in system.terms[row]} for row in rows}
    for size in range(1, ADJUGATE + 1):
        for chosen in combinations([row for row in rows if len(held[row]) <= size], size):
            block = set().union(*(held[row] for row in chosen))
            if len(block) == size:
                return [c for c in columns if c in block], chosen
    return None


def _clear(system: System, columns: Sequence[Column], rows: Sequence[int]) -> Block | None:
    """Return a block whose determinant keeps one sign by far: looked for among numbers, confirmed on the tape."""
    if len(columns) > FEW:
        return None
    entries = [[system.terms[row].get(c, 0.0) for c in columns] for row in rows]
    values = np.array([[_wide(entry) for entry in row] for row in entries])
    held = [{j for j, entry in enumerate(row) if not is_zero(entry)} for row in entries]
    for size in range(2, ADJUGATE + 1):
        for chosen in combinations(range(len(rows)), size):
            blocks = list(combinations(sorted(set().union(*(held[i] for i in chosen))), size))
            for block in _of_one_sign(values, chosen, blocks):
                det = _determinant([[entries[i][j] for j in block] for i in chosen])
                if not is_zero(det) and _keeps_its_sign(det):
                    return [columns[j] for j in block], [rows[i] for i in chosen]
    return None


def _of_one_sign(values: np.ndarray, rows: Sequence[int], blocks: Sequence[tuple[int, ...]]) -> list[tuple[int, ...]]:
    """Return the blocks of columns whose determinants in these rows, (rows, columns, states), may keep one sign."""
    if not blocks:
        return []
    entries = values[list(rows)][:, np.array(blocks).T]  # (rows, columns of a block, blocks, states)
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # no number at any state
        det = entries[0, 0] * entries[1, 1] - entries[0, 1] * entries[1, 0]
        if len(rows) > 2:
            first = entries[1, 1] * entries[2, 2] - entries[1, 2] * entries[2, 1]
            second = entries[1, 2] * entries[2, 0] - entries[1, 0] * entries[2, 2]
            third = entries[1, 0] * entries[2, 1] - entries[1, 1] * entries[2, 0]
            det = entries[0, 0] * first + entries[0, 1] * second + entries[0, 2] * third
        det[~np.isfinite(det)] = np.nan
        least, most = np.nanmin(det, axis=1), np.nanmax(det, axis=1)
        may = (least * most > 0.0) & (
            np.minimum(abs(least), abs(most)) > 0.9 * CLEAR * np.maximum(abs(least), abs(most))
        )
    return [block for block, is_one in zip(blocks, may, strict=True) if is_one]


def _wide(value: Number) -> np.ndarray:
    """Return the values at the states at which pivots are judged."""
    return value.tape.wide_samples(value) if isinstance(value, Scalar) else np.full(WIDE, float(value))


def _keeps_its_sign(value: Number) -> bool:
    smallest, largest = value.tape.extremes(value) if isinstance(value, Scalar) else (1.0, 1.0)
    return smallest > CLEAR * largest


def _diagonalise(system: System, columns: Sequence[Column], rows: Sequence[int]) -> None:
    """Replace equations by combinations of them in each of which one unknown of the block is left."""
    block = [[system.terms[row].get(c, 0.0) for c in columns] for row in rows]
    det = _determinant(block)
    mixed = []
    for i, column in enumerate(columns):
        # Row i of the adjugate times the equations: det x_i + ... = 0.
        weights = [_cofactor(block, j, i) for j in range(len(rows))]
        others = dict.fromkeys(c for row in rows for c in system.terms[row] if c not in columns)
        terms = {c: dot(weights, [system.terms[r].get(c, 0.0) for r in rows]) for c in others}
        constant = dot(weights, [system.constants[r] for r in rows])
        mixed.append(({column: det, **{c: a for c, a in terms.items() if not is_zero(a)}}, constant))
    for row, (terms, constant) in zip(rows, mixed, strict=True):
        system.rewrite(row, terms, constant)


def _determinant(block: list[list[Number]]) -> Number:
    if len(block) == 1:
        return block[0][0]
    held = [j for j, entry in enumerate(block[0]) if not is_zero(entry)]
    return dot([block[0][j] for j in held], [_cofactor(block, 0, j) for j in held])


def _cofactor(block: list[list[Number]], i: int, j: int) -> Number:
    minor = [[a for m, a in enumerate(row) if m != j] for n, row in enumerate(block) if n != i]
    value = _determinant(minor) if minor else 1.0
    return value if (i + j) % 2 == 0 else -value
