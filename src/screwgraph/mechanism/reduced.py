"""The equations of motion in independent coordinates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.errors import InputError
from screwgraph.mechanism.mechanics import mechanics_of
from screwgraph.models.mechanism.mechanism import Mechanism


@dataclass(frozen=True, eq=False)
class Reduced:
    """At states (..., n): qd = R zd, qdd = S c + R zdd, mass zdd = force. Paper 1 (11), (12), (15)."""

    R: Float[np.ndarray, "*batch n f"]
    Sc: Float[np.ndarray, "*batch n"]
    mass: Float[np.ndarray, "*batch f f"]
    force: Float[np.ndarray, "*batch f"]

    @property
    def acceleration(self) -> Float[np.ndarray, "*batch f"]:
        """The accelerations zdd of the independent coordinates."""
        return np.linalg.solve(self.mass, self.force[..., None])[..., 0]


def reduced(mechanism: Mechanism, q: Any, qd: Any, force: Any = 0.0) -> Reduced:
    """Return the reduced equations of motion in `mechanism.independent_coordinates`.

    Args:
        mechanism: f degrees of freedom, n coordinates.
        q: closed positions (..., n).
        qd: velocities (..., n).
        force: forces on the coordinates (..., n), added to those of the mechanism itself.

    Raises:
        InputError: the independent coordinates do not determine the others at some position.
    """
    q, qd = np.asarray(q, dtype=float), np.asarray(qd, dtype=float)
    kept, chosen = list(mechanism.freedom.kept), list(mechanism.freedom.independent)
    _, J = mechanics_of(mechanism).closing(q)
    rates = mechanics_of(mechanism).rates(q, qd)
    c, Q = rates[..., : J.shape[-2]][..., kept], rates[..., J.shape[-2] :] + force
    n, k = mechanism.n, len(kept)
    B = np.broadcast_to(np.eye(n)[chosen], (*J.shape[:-2], len(chosen), n))
    try:
        inverse = np.linalg.inv(np.concatenate([J[..., kept, :], B], axis=-2))
    except np.linalg.LinAlgError:
        raise InputError(
            f"{', '.join(mechanism.independent_coordinates)} do not determine all velocities at some position",
            fix="name other independent coordinates in the file of the mechanism",
        ) from None
    R, Sc = inverse[..., k:], (inverse[..., :k] @ c[..., None])[..., 0]
    Rt, M = np.swapaxes(R, -1, -2), mechanics_of(mechanism).mass
    return Reduced(R, Sc, Rt @ M @ R, (Rt @ (Q - Sc @ M)[..., None])[..., 0])
