"""A motion on which external wrenches act: efforts of a model that takes them, and what of these are wrenches."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from jaxtyping import Float

from screwgraph.motion.simulation.external_wrenches import ExternalWrenches, add_wrenches, describe_wrenches
from screwgraph.motion.simulation.system import RUNAWAY, Dynamics, Efforts
from screwgraph.motion.simulation.trajectory import Trajectory


@dataclass(frozen=True, eq=False)
class PushedMotion:
    """A model in motion, and the wrenches that act on it."""

    dynamics: Dynamics
    wrenches: ExternalWrenches

    @property
    def whole(self) -> Dynamics:
        """The model among whose efforts are those of wrenches."""
        return self.wrenches.efforts.dynamics

    def find_efforts(self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> np.ndarray:
        """Return the efforts of `whole` that wrenches are; what is unknown where a motion has diverged."""
        idle = np.zeros(self.wrenches.efforts.count)
        if not max(np.abs(q).max(initial=0.0), np.abs(qd).max(initial=0.0)) < RUNAWAY:
            return np.full_like(self.whole.check_efforts(None, "tau"), np.nan)
        return self.wrenches.efforts.add_to(idle, q, self.wrenches.evaluate(t, q, qd))

    def extend(self, torques: Float[np.ndarray, " m"] | Efforts) -> Float[np.ndarray, " n"] | Efforts:
        """Return torques as efforts of `whole`, those of wrenches zero."""
        more = np.zeros(len(self.whole.check_efforts(None, "tau")) - self.wrenches.efforts.count)
        if not callable(torques):
            return np.concatenate([torques, more])
        return lambda t, q, qd: np.concatenate([torques(t, q, qd), more])

    def add_to(self, torques: Float[np.ndarray, " m"] | Efforts) -> Efforts:
        """Return torques and wrenches as efforts of `whole`."""
        own = self.extend(torques)
        return lambda t, q, qd: self.find_efforts(t, q, qd) + (own(t, q, qd) if callable(own) else own)

    def add_along(
        self,
        t: Float[np.ndarray, " N"],
        q: Float[np.ndarray, "N nq"],
        qd: Float[np.ndarray, "N nv"],
        tau: Float[np.ndarray, "N m"],
    ) -> Float[np.ndarray, "N n"]:
        """Return torques and wrenches along a motion as efforts of `whole`."""
        return self.wrenches.efforts.add_to(tau, q, self.wrenches.along(t, q, qd))

    def separate(self, motion: Trajectory) -> Trajectory:
        """Return a motion of `whole` with the efforts of the model, and wrenches, those of contacts among them."""
        t, q, qd, count = motion.t, motion.q, motion.qd, self.wrenches.efforts.count
        acting = self.wrenches.along(t, q, qd)
        pushed = self.wrenches.efforts.add_to(np.zeros((len(t), count)), q, acting)[:, :count]
        own = describe_wrenches(self.dynamics, self.wrenches.efforts, acting)
        together, tau = add_wrenches(*motion.external_wrenches.items(), *own.items()), motion.tau[:, :count] - pushed
        return replace(motion, model=self.dynamics.model, tau=tau, external_wrenches=together)
