"""Factors of pose graphs: unknowns seen from each other, or known beforehand; on any manifold that is a group."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.optimize import Problem
from screwgraph.spatial import inverse
from screwgraph.spatial.manifolds import SE2, SE3, SO3, Manifold, Vector
from screwgraph.spatial.manifolds.se2 import relative_motion

RELATIVE: dict[type, Callable[[Any, Any], Any]] = {
    SE3: lambda a, b: inverse(a) @ b,
    SE2: relative_motion,
    SO3: lambda a, b: a.T @ b,
    Vector: lambda a, b: b - a,
}
"""By kind: b in the frame of a."""


@dataclass(frozen=True)
class Between:
    """Difference of a measurement z and b in the frame of a: poses (rad, m), rotations (rad), vectors."""

    manifold: Manifold

    def __post_init__(self) -> None:
        if type(self.manifold) not in RELATIVE:
            raise InputError(f"there is no relative {self.manifold.kind}", fix="use SE3, SE2, SO3 or Vector")

    def __call__(self, a: Any, b: Any, *, z: Any) -> Any:
        """Return the residual (dim,)."""
        return self.manifold.difference(z, RELATIVE[type(self.manifold)](a, b))


@dataclass(frozen=True)
class Prior:
    """Difference of a known value z and x."""

    manifold: Manifold

    def __call__(self, x: Any, *, z: Any) -> Any:
        """Return the residual (dim,)."""
        return self.manifold.difference(z, x)


@dataclass(frozen=True, eq=False)
class Keyed:
    """A problem, values of its unknowns by family, and by family the key of each unknown elsewhere."""

    __repr__ = one_line

    problem: Problem
    start: Mapping[str, np.ndarray]
    keys: Mapping[str, tuple[int, ...]]
