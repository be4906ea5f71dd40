"""Forces of contacts in the base's axes, and their standard deviations; as unknowns they are in the frames' axes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.motion.estimation.robot_motion_graph import Motion
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.optimize import soft
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


@dataclass(frozen=True, eq=False)
class BaseContactForces:
    """Forces of a motion's contacts at its instants `at`, by frame (N, 3)."""

    motion: Motion
    at: slice

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
        return {frame: rows[:, 3 * i : 3 * i + 3] for i, frame in enumerate(self.motion.pushed)}

    @cached_property
    def _batch(self) -> Batch:
        template = BaseFrameForces(self.motion.mechanics, self.motion.pushed)
        own = self.motion.states()[0][self.at], self.motion.forces[self.at]
        factors = soft(template, *own, name="forces in the base")
        return Batch(factors, ((factors.name, len(factors)),))
