"""Equations of motion of mechanisms by linear algebra: an oracle for what elimination gives."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from screwgraph.mechanics.mechanism import Mechanism, compile_mechanism
from screwgraph.model.mechanism.equations import mass_matrix


@dataclass(frozen=True, eq=False)
class Reduced:
    """At states (..., n): qd = R zd, qdd = S c + R zdd, mass zdd = force. Blanco-Claraco et al. (2021), (11)-(15)."""

    R: np.ndarray
    Sc: np.ndarray
    mass: np.ndarray
    force: np.ndarray

    @property
    def acceleration(self) -> np.ndarray:
        """The accelerations zdd of the independent coordinates."""
        return np.linalg.solve(self.mass, self.force[..., None])[..., 0]


def reduced(mechanism: Mechanism, q, qd, force=0.0) -> Reduced:
    """Return the reduced equations of motion in `mechanism.independent_coordinates`."""
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    kept, chosen = list(mechanism.freedom.kept), list(mechanism.freedom.independent)
    _, J = compile_mechanism(mechanism).closing(q)
    rates = compile_mechanism(mechanism).rates(q, qd)
    c, Q = rates[..., : J.shape[-2]][..., kept], rates[..., J.shape[-2] :] + force
    n, k = mechanism.n, len(kept)
    B = np.broadcast_to(np.eye(n)[chosen], (*J.shape[:-2], len(chosen), n))
    inverse = np.linalg.inv(np.concatenate([J[..., kept, :], B], axis=-2))
    R, Sc = inverse[..., k:], (inverse[..., :k] @ c[..., None])[..., 0]
    Rt, M = np.swapaxes(R, -1, -2), mass_matrix(mechanism)
    return Reduced(R, Sc, Rt @ M @ R, (Rt @ (Q - Sc @ M)[..., None])[..., 0])


def motor_torques(mechanism: Mechanism, q, qd, qdd) -> np.ndarray:
    """Return the torques of the motors that a motion needs; the smallest where several would do."""
    slots = list(mechanism.motor_slots)
    code, q, qd = compile_mechanism(mechanism), np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    _, J = code.closing(q)
    Q = code.rates(q, qd)[..., J.shape[-2] :]
    missing = np.asarray(qdd, dtype=float) @ mass_matrix(mechanism) - Q
    kept = list(mechanism.freedom.kept)
    free = np.linalg.svd(J[..., kept, :])[2][..., len(kept) :, :]
    right = (free @ missing[..., None])[..., 0]
    return (np.linalg.pinv(free[..., slots]) @ right[..., None])[..., 0]


def accelerations(mechanism, q, qd, tau):
    """Return accelerations by a dense solution of the equations of motion. Blanco-Claraco et al. (2021), (5)."""
    code, kept, n = compile_mechanism(mechanism), list(mechanism.freedom.kept), mechanism.n
    J = code.closing(q)[1][kept]
    rates = code.rates(q, qd)
    force = rates[-n:].copy()
    force[list(mechanism.motor_slots)] += tau
    K = np.block([[mass_matrix(mechanism), J.T], [J, np.zeros((len(J), len(J)))]])
    return np.linalg.lstsq(K, np.concatenate([force, rates[: len(rates) - n][kept]]), rcond=None)[0][:n]
