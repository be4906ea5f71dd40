"""Forces of contacts in the base's axes, and their standard deviations.

Unknowns of robots are in the frames' axes, those of mechanisms in the axes of the ground.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize import Selection, soft
from screwgraph.optimize.batch import Batch
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class BaseFrameForces:
    """The forces of contacts on frames (N), which are in the frames' axes, in the base's."""

    mechanics: Mechanics
    pushed: tuple[str, ...]

    def __call__(self, q: Any, forces: Any) -> Any:
        """Forces (3 n,)."""
        R = [self.mechanics.pose(frame, q)[:3, :3] for frame in self.pushed]
        return concatenate(*(R[i] @ forces[3 * i : 3 * i + 3] for i in range(len(R))))


@dataclass(frozen=True)
class PointForces:
    """The forces of contacts on `count` points of a mechanism (N), along the ground's axes; z of planar ones is 0."""

    count: int

    def __call__(self, q: Any, forces: Any) -> Any:
        """Forces (3 n,)."""
        d = len(forces) // self.count
        parts = [(forces[d * i : d * (i + 1)], np.zeros(3 - d)) for i in range(self.count)]
        return concatenate(*(x for part in parts for x in part))


@dataclass(frozen=True, eq=False)
class BaseContactForces:
    """Forces of a motion's contacts by frame or point `names` (N, 3), which `template` gives of some unknowns.

    `unknowns` are positions and forces at the instants that are meant.
    """

    template: BaseFrameForces | PointForces
    names: tuple[str, ...]
    unknowns: tuple[Selection, Selection]

    def __call__(self, values: Mapping[str, np.ndarray]) -> dict[str, Float[np.ndarray, "N 3"]]:
        """Return forces (N), of values of all unknowns by family."""
        return self._by_frame(self._linearise(values)[0])

    def sigma(
        self, values: Mapping[str, np.ndarray], covariance: Float[np.ndarray, "N n n"]
    ) -> dict[str, Float[np.ndarray, "N 3"]]:
        """Return standard deviations (N); `covariance` is the joint one of positions and forces at each instant."""
        J = self._linearise(values)[1]
        return self._by_frame(np.sqrt(np.einsum("kij,kjl,kil->ki", J, covariance, J)))

    def _linearise(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return forces (N, 3 n), and derivatives by position and unknown forces."""
        found, J, _ = self._batch.factors.kernels.whitened_jacobian(*self._batch.inputs(dict(values)))
        return found, J

    def _by_frame(self, rows: Float[np.ndarray, "N m"]) -> dict[str, Float[np.ndarray, "N 3"]]:
        return {frame: rows[:, 3 * i : 3 * i + 3] for i, frame in enumerate(self.names)}

    @cached_property
    def _batch(self) -> Batch:
        factors = soft(self.template, *self.unknowns, name="forces in the base")
        return Batch(factors, ((factors.name, len(factors)),))
