"""What every method integrates: accelerations of a model, on the manifold of its positions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.spatial.manifolds import Manifold

Acceleration = Callable[
    [float, Float[np.ndarray, " nq"], Float[np.ndarray, " nv"]],
    Float[np.ndarray, " nv"],
]


class Projector(Protocol):
    """What puts states back onto the constraints of a model."""

    def projected(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest state that constraints allow, and the loop-closure error (rad, m). Raises InputError."""
        ...


@dataclass(frozen=True, eq=False)
class System:
    """A model in motion: accelerations as a function of t, q and qd; its `constraints`, if any."""

    manifold: Manifold
    acceleration: Acceleration
    constraints: Projector | None
