"""Rows of hard factors divided by what is steep in them where a search begins. Waechter & Biegler (2006), section 3.8.

Where residuals begin a thousand times larger than they end, rounding would else decide on the way that a search takes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float, Int

from screwgraph.optimize.assembly import Assembly

SCALES = "scales"
"""What a method's memory calls them."""
STEEPEST = 100.0
"""The largest slope that a row keeps."""


@dataclass(frozen=True, eq=False)
class RowScales:
    """What residuals and slopes are multiplied by: of equalities and inequalities, at most 1."""

    equal: Float[np.ndarray, " m"]
    unequal: Float[np.ndarray, " k"]

    def fits(self, assembly: Assembly) -> bool:
        """Whether they are of such a problem."""
        return (len(self.equal), len(self.unequal)) == (assembly.equalities.count, assembly.inequalities.count)


def kept(scales: RowScales | None, memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory with the scales, and multipliers y and z of rows as they are in the problem."""
    return {**_times(memory, scales, 1), SCALES: scales}


def recalled(scales: RowScales | None, memory: Mapping[str, Any]) -> dict[str, Any]:
    """Return a memory with multipliers of scaled rows."""
    return _times(memory, scales, -1)


def row_scales(assembly: Assembly, A: Float[np.ndarray, " a"], G: Float[np.ndarray, " b"]) -> RowScales | None:
    """Return the scales of rows with these slopes, None where all are 1."""
    equal, unequal = assembly.equalities, assembly.inequalities
    found = RowScales(_scales(equal.rows, A, equal.count), _scales(unequal.rows, G, unequal.count))
    return found if min(found.equal.min(initial=1.0), found.unequal.min(initial=1.0)) < 1.0 else None


def _scales(rows: Int[np.ndarray, " e"], slopes: Float[np.ndarray, " e"], count: int) -> Float[np.ndarray, " m"]:
    steepest = np.zeros(count)
    np.maximum.at(steepest, rows, np.where(np.isfinite(slopes), np.abs(slopes), 0.0))
    return STEEPEST / np.maximum(steepest, STEEPEST)


def _times(memory: Mapping[str, Any], scales: RowScales | None, power: int) -> dict[str, Any]:
    if scales is None:
        return dict(memory)
    factors = {"y": scales.equal, "z": scales.unequal}
    fitting = {name: f for name, f in factors.items() if name in memory and np.shape(memory[name]) == f.shape}
    return {**memory, **{name: memory[name] * f**power for name, f in fitting.items()}}
