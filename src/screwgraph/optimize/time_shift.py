"""A solution moved along in time: where to begin the next one of a receding horizon."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.optimize.constraint_rows import ConstraintRows
from screwgraph.optimize.methods.frozen_newton import FACTORED
from screwgraph.optimize.result import Result


def shift_result(result: Result, families: Mapping[str, int]) -> Result:
    """Return a solution whose values are those of later unknowns, the last ones repeated.

    `families` tells by how many unknowns each family moves; others stay. Multipliers go with the first unknown of
    their factors. A warm start, not a solution.
    """
    layout, iterate = result.problem.layout, result.iterate
    views = layout.unpack(iterate.x)
    moved = {name: _later(value, families.get(name, 0)) for name, value in views.items()}
    memory: dict[str, Any] = {name: value for name, value in iterate.memory.items() if name != FACTORED}
    assembly = result.problem.assembly
    for key, rows in (("y", assembly.equalities), ("z", assembly.inequalities)):
        if key in memory:
            memory[key] = _multipliers(rows, memory[key], families)
    return replace(result, iterate=replace(iterate, x=layout.pack(moved), memory=memory))


def _later(values: np.ndarray, by: int) -> np.ndarray:
    if not by:
        return values
    return np.concatenate([values[by:], np.repeat(values[-1:], min(by, len(values)), axis=0)])


def _multipliers(rows: ConstraintRows, values: np.ndarray, families: Mapping[str, int]) -> np.ndarray:
    found = values.copy()
    for batch, place in zip(rows.batches, rows.places, strict=True):
        first = batch.factors.arguments[0]
        by = families.get(first.variables.name, 0)
        steps = np.diff(first.indices)
        if not by or len(batch) <= by or not (steps > 0).all():
            continue
        block = place.view_residuals(found)
        count = int(np.searchsorted(first.indices, first.indices[0] + by))
        block[:] = _later(block, count)
    return found
