"""Equations of motion in the coordinates that loops, couplings and constraints leave."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.control.affine import Affine, combine_affine
from screwgraph.tape import dot


@dataclass(frozen=True, eq=False)
class IndependentMotion:
    """A state: M ydd + h are efforts along the independent coordinates y, and all accelerations are G ydd + drift.

    G (nv, n) is None where all coordinates are independent.
    """

    M: Any
    h: Any
    G: Any
    drift: Any

    def restrict(self, J: Any) -> Any:
        """Return J G: how rows (k, nv) of all velocities depend on the independent ones."""
        if self.G is None:
            return J
        columns = self.G.T
        return np.array([[dot(row, column) for column in columns] for row in J]).reshape(len(J), len(columns))

    def expand(self, own: Sequence[Affine]) -> list[Affine]:
        """Return all accelerations as those of the independent coordinates determine them."""
        if self.G is None:
            return list(own)
        return [combine_affine(list(zip(row, own, strict=True)), c) for row, c in zip(self.G, self.drift, strict=True)]
