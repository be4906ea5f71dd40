"""Entries of unknowns that equations leave free."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import EliminationError
from screwgraph.elimination import equations
from screwgraph.graph import Column, FactorGraph, Role
from screwgraph.tape import SAMPLES, Number, Scalar

DETERMINED = (Role.COORDINATE_FORCE, Role.EFFORT, Role.COORDINATE_ACCELERATION, Role.EXTERNAL_WRENCH, Role.CHOICE)
"""Roles that equations determine last, the last one last: all others are determined first."""
MOVED = (Role.CHOICE, Role.EXTERNAL_WRENCH, Role.COORDINATE_ACCELERATION, Role.COORDINATE_FORCE, Role.EFFORT)
"""The same where efforts are free: motions and forces of contacts follow from them."""
DEPENDENT = 1e-9
"""Part of a column that others leave of it, below which they determine it."""


def find_free_unknowns(graph: FactorGraph, last: Sequence[Role] = DETERMINED) -> list[Column]:
    """Return entries with which the equations of a graph, none of them soft, determine all others.

    Unknowns of the roles `last` are free where they can be, those of the last one first: else what contacts leave to be
    chosen, then wrenches from outside, accelerations, efforts.

    Raises:
        EliminationError: equations repeat or contradict each other, or nothing is free.
    """
    # Of one role, those of the last joints are determined first: legs by their feet, and the base is free.
    columns = [(v.key, i) for v in reversed(graph.unknowns) for i in range(v.dim)]
    columns.sort(key=lambda column: last.index(column[0].role) if column[0].role in last else -1)
    A = _sample_equations(graph, columns)
    free, basis = list[Column](), np.zeros((len(A), 0))
    for j, column in enumerate(columns):
        left = _project(basis, _project(basis, A[:, j]))
        length = float(np.linalg.norm(left))
        if length > DEPENDENT * float(np.linalg.norm(A[:, j])) and basis.shape[1] < len(A):
            basis = np.column_stack([basis, left / length])
        else:
            free.append(column)
    if basis.shape[1] < len(A):
        raise EliminationError(
            f"{len(A)} equations have the rank {basis.shape[1]}",
            why="some repeat or contradict others",
            fix="take these out by graph.without(...), or make them soft by sg.with_soft",
        )
    if not free:
        raise EliminationError("equations determine all unknowns", why="nothing is left to be chosen")
    return free


def _sample_equations(graph: FactorGraph, columns: list[Column]) -> Float[np.ndarray, "rows n"]:
    """Return the coefficients of the equations at a random state, rows of length 1."""
    rows = [row for row in equations(graph).rows if row.terms]
    for sample in range(SAMPLES):
        A = np.array([[_value(row.terms.get(column, 0.0), sample) for column in columns] for row in rows])
        if np.isfinite(A).all():
            A = A.reshape(len(rows), len(columns))
            return A / np.linalg.norm(A, axis=1, keepdims=True)
    raise EliminationError("the equations of the graph have no finite coefficients at any of the states that are tried")


def _project(basis: Float[np.ndarray, "n k"], column: Float[np.ndarray, " n"]) -> Float[np.ndarray, " n"]:
    return column - basis @ (basis.T @ column)


def _value(number: Number, sample: int) -> float:
    return number.samples[sample] if isinstance(number, Scalar) else float(number)
