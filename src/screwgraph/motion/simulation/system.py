"""What every method integrates: accelerations of a model, on the manifold of its positions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
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
    """Projection of states back onto the constraints of a model."""

    def project(
        self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]
    ) -> tuple[Float[np.ndarray, " nq"], Float[np.ndarray, " nv"], float]:
        """Return the nearest state that constraints allow, and the loop-closure error (rad, m). Raises InputError."""
        ...


@dataclass(frozen=True, eq=False)
class System:
    """A model in motion: accelerations as a function of t, q and qd; its `constraints`, if any.

    `powered` returns accelerations, and the power (W) of torques and forces less that of dampers, where it is known.
    `owners` names what each velocity coordinate belongs to, in messages. `of_states` returns accelerations at one time
    and several states (N, ...), where there is a quicker way than one after the other. `torques` are constant, or
    a function of t, q and qd.
    """

    manifold: Manifold
    acceleration: Acceleration
    constraints: Projector | None
    powered: Callable[[float, np.ndarray, np.ndarray], tuple[np.ndarray, float]] | None = None
    owners: tuple[str, ...] = ()
    of_states: Acceleration | None = None
    torques: Callable[[float, np.ndarray, np.ndarray], np.ndarray] | Float[np.ndarray, " m"] | None = None

    def torques_at(
        self, t: Float[np.ndarray, " N"], q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N m"]:
        """Return the torques at times and states; of no motors where they are unknown."""
        if not callable(self.torques):
            return np.tile(np.zeros(0) if self.torques is None else self.torques, (len(t), 1))
        return np.array([self.torques(*state) for state in zip(t.tolist(), q, qd, strict=True)])

    @property
    def is_driven(self) -> bool:
        """Whether torques are a function."""
        return callable(self.torques)

    def accelerations(
        self, t: float, q: Float[np.ndarray, "N nq"], qd: Float[np.ndarray, "N nv"]
    ) -> Float[np.ndarray, "N nv"]:
        """Return the accelerations at one time and several states."""
        if self.of_states is not None:
            return self.of_states(t, q, qd)
        return np.array([self.acceleration(t, *state) for state in zip(q, qd, strict=True)])

    def fastest(self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> str:
        """Return " in joint ...": where the acceleration is largest, or not finite; nothing where names are unknown."""
        return name_worst_owner(self.owners, self.acceleration(t, q, qd))


def name_worst_owner(owners: Sequence[str], values: Float[np.ndarray, " nv"]) -> str:
    """Return " in ...", which names the owner of the largest value, or of one that is not finite."""
    if not len(owners):
        return ""
    return f" in {owners[int(np.argmax(np.where(np.isfinite(values), np.abs(values), np.inf)))]}"
