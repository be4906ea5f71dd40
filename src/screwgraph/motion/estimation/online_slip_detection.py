"""Feet that slip in a loop of fixed rate: contacts are judged when they are read, and exactly only where suspicious."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from jaxtyping import Bool, Float

from screwgraph.model.sensors.sensor import Sensor
from screwgraph.motion.estimation.robot_motion_graph import Motion
from screwgraph.motion.estimation.sensors import SensorResidual
from screwgraph.motion.estimation.slip_detection import deletion_residuals
from screwgraph.optimize import FixedLag, soft
from screwgraph.optimize.batch import Batch

SUSPICIOUS = 0.8
"""Part of its threshold from which on a foot is tested again, by the covariance where the estimate is now."""


@dataclass(frozen=True, eq=False)
class SlipTest:
    """Tests of some contacts at the last instant of a window of a motion."""

    motion: Motion
    contacts: Sequence[Sensor]

    def weights(self, lag: FixedLag) -> Float[np.ndarray, " m"]:
        """Return the weights of all contacts where the estimate is now, by robust losses."""
        return self._weights(self._speeds(lag.values)[0]) if self.contacts else np.zeros(0)

    def suspicious(self, lag: FixedLag, weights: Float[np.ndarray, " m"], places: Sequence[int]) -> bool:
        """Return whether some of the contacts may be beyond their thresholds.

        The covariance is that of the Gauss-Newton step that was taken last, with `weights` of contacts as it had them,
        brought to those of now: (A^-1 + W' - W)^-1. No factor of the window is evaluated for it.
        """
        r, J = self._speeds(lag.values)
        A, now = lag.spread(J.reshape(-1, J.shape[-1])), self._weights(r)
        more = np.repeat(np.where(self._are_in(places), now - weights, 0.0), 3)
        A = np.linalg.solve(np.eye(len(A)) + A * more, A)
        return bool(self._beyond(r, A, now, places).max() > SUSPICIOUS)

    def deviations(self, lag: FixedLag, places: Sequence[int]) -> Float[np.ndarray, " k"]:
        """Return how far feet are from rest now, in their thresholds; `places` are those of contacts."""
        r, J = self._speeds(lag.values)
        flat, n = J.reshape(-1, J.shape[-1]), J.shape[-1]
        return self._beyond(r, flat @ lag.covariance()[:n, :n] @ flat.T, self._weights(r), places)

    def _beyond(
        self,
        r: Float[np.ndarray, "m 3"],
        A: Float[np.ndarray, "n n"],
        weights: Float[np.ndarray, " m"],
        places: Sequence[int],
    ) -> Float[np.ndarray, " k"]:
        own, chosen = np.array([A[3 * i : 3 * i + 3, 3 * i : 3 * i + 3] for i in places]), list(places)
        return deletion_residuals(r[chosen], own, weights[chosen]) / self._slip[chosen]

    def _are_in(self, places: Sequence[int]) -> Bool[np.ndarray, " m"]:
        found = np.zeros(len(self.contacts), dtype=bool)
        found[list(places)] = True
        return found

    @cached_property
    def _slip(self) -> Float[np.ndarray, " m"]:
        return np.array([s.slip for s in self.contacts])

    @cached_property
    def _huber(self) -> Float[np.ndarray, " m"]:
        return np.array([s.huber or np.inf for s in self.contacts])

    def _weights(self, r: Float[np.ndarray, "m 3"]) -> Float[np.ndarray, " m"]:
        size = np.linalg.norm(r, axis=1)
        return np.minimum(1.0, self._huber / np.maximum(size, 1e-300))

    def _speeds(self, values: Mapping[str, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Return velocities of the feet in their standard deviations (m, 3), derivatives by q and qd (m, 3, 2 nv)."""
        batch = self._batch
        r, J, _ = batch.factors.kernels.whitened_jacobian(*batch.inputs(dict(values)))
        return r.reshape(-1, 3), J.reshape(len(self.contacts), 3, -1)

    @cached_property
    def _batch(self) -> Batch:
        sigma = np.concatenate([np.broadcast_to(s.sigma, (3,)) for s in self.contacts])
        template = SensorResidual(self.motion.mechanics, tuple(s.place for s in self.contacts))
        states = [x[self.motion.count - 1] for x in self.motion.states()[:2]]
        factors = soft(template, *states, measured=np.ones(len(self.contacts)), sigma=sigma, name="speeds of feet")
        return Batch(factors, ((factors.name, 1),))
