"""Rows of hard factors divided by what is steep in them where a search begins. Waechter & Biegler (2006), section 3.8.

Where residuals begin a thousand times larger than they end, rounding would else decide on the way that a search takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.optimize.assembly import Assembly
from screwgraph.optimize.constraint_rows import ConstraintRows

SCALES = "scales"
"""What a method's memory calls them."""
STEEPEST = 100.0
"""The largest slope that a row keeps."""


@dataclass(frozen=True, eq=False)
class RowScales:
    """Scales of residuals and Jacobians: of equalities and inequalities; without units, at most 1."""

    equal: Float[np.ndarray, " m"]
    unequal: Float[np.ndarray, " k"]

    def fits(self, assembly: Assembly) -> bool:
        """Whether they are of such a problem."""
        return (len(self.equal), len(self.unequal)) == (assembly.equalities.count, assembly.inequalities.count)


def save_scales(scales: RowScales | None, memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory with the scales, and multipliers y and z of rows as they are in the problem."""
    factors = {} if scales is None else {"y": scales.equal, "z": scales.unequal}
    return {**_times(memory, factors), SCALES: scales}


def restore_multipliers(scales: RowScales | None, memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory with multipliers of scaled rows."""
    return _times(memory, {} if scales is None else {"y": 1.0 / scales.equal, "z": 1.0 / scales.unequal})


def compute_row_scales(
    assembly: Assembly, A: Float[np.ndarray, " a"], G: Float[np.ndarray, " b"], units: Float[np.ndarray, " n"] | None
) -> RowScales | None:
    """Return the scales of rows with these slopes, None where all are 1.

    Rows on unknowns that have a unit are divided by it: balances and limits of forces are forces.
    """
    if units is None and not any((np.abs(slopes) > STEEPEST).any() for slopes in (A, G)):
        return None
    found = RowScales(_scales(assembly.equalities, A, units), _scales(assembly.inequalities, G, units))
    return found if ((found.equal != 1.0).any() or (found.unequal != 1.0).any()) else None


def direction_units(assembly: Assembly) -> Float[np.ndarray, " n"] | None:
    """Return the unit of each direction, None where all are 1."""
    layout = assembly.layout
    named = assembly.units.keys() & layout.directions.keys()
    units = np.ones(layout.size if named else 0)
    for name in named:
        units[layout.directions[name]] = assembly.units[name]
    return units if (units != 1.0).any() else None


def _scales(
    hard: ConstraintRows, slopes: Float[np.ndarray, " e"], units: Float[np.ndarray, " n"] | None
) -> Float[np.ndarray, " m"]:
    steepest, own = np.zeros(hard.count), np.ones(hard.count)
    sizes = np.where(np.isfinite(slopes), np.abs(slopes), 0.0)
    if units is not None:
        there = units[hard.columns]
        own[hard.rows[there != 1.0]] = there[there != 1.0]
        sizes *= there / own[hard.rows]
    np.maximum.at(steepest, hard.rows, sizes)
    return STEEPEST / np.maximum(steepest, STEEPEST) / own


def _times(memory: Mapping[str, Any], factors: Mapping[str, np.ndarray]) -> dict[str, Any]:
    fitting = {name: f for name, f in factors.items() if name in memory and np.shape(memory[name]) == f.shape}
    return {**memory, **{name: memory[name] * f for name, f in fitting.items()}}
