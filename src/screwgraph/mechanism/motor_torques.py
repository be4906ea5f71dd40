"""Inverse dynamics of one state or many, by linear algebra."""

from __future__ import annotations

from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.models.mechanism.mechanism import Mechanism


def motor_torques(mechanism: Mechanism, q: Any, qd: Any, qdd: Any) -> Float[np.ndarray, "*batch motors"]:
    """Return the torques of the motors (N m) that a motion needs; the smallest where several would do.

    What is left of the equations of motion in the directions that the constraints allow, N' (M qdd - Q) = N' B tau,
    is solved by least squares. Paper 1 (4), (13).

    Args:
        mechanism: it names its motors.
        q: closed positions (..., n).
        qd: velocities (..., n) that the constraints allow.
        qdd: accelerations (..., n) that the constraints allow.

    Raises:
        InputError: the mechanism has no motors.
    """
    mechanism.check_motors()
    slots = [mechanism.angle_slots[i] for i in mechanism.motors]
    code, q, qd = mechanics_of(mechanism), np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    _, J = code.closing(q)
    Q = code.rates(q, qd)[..., J.shape[-2] :]
    missing = np.asarray(qdd, dtype=float) @ code.mass - Q
    kept = list(mechanism.freedom.kept)
    free = np.linalg.svd(J[..., kept, :])[2][..., len(kept) :, :]
    right = (free @ missing[..., None])[..., 0]
    return (np.linalg.pinv(free[..., slots]) @ right[..., None])[..., 0]
