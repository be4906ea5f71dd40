"""The equations of motion of a robot at one instant as one factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.motion.estimation.parameters import Parameters
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.spatial import concatenate


@dataclass(frozen=True)
class DynamicsResidual:
    """Inverse dynamics less all joint torques and forces: zero where the equations of motion hold.

    Inverse dynamics is the compiled function of the nominal robot; unknown parameters enter it linearly.
    After q, qd, qdd come the multipliers of a closed chain, unknown torques of the coordinates `inputs` at the instant,
    or at both ends of the step (`ends`) that the instant divides at `part`; forces on frames that contacts push on
    (`pushed`, in the frames' axes, at their origins), at the instant or at both ends; and parameters over their scale.
    """

    mechanics: Mechanics
    parameters: Parameters
    inputs: tuple[int, ...] = ()
    ends: int = 0
    part: float = 0.0
    pushed: tuple[str, ...] = ()

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any, tau: Any) -> Any:
        """Return the residual (nv,), N m or N; `tau` (nv,) are known torques."""
        left = list(more)
        loops = [left.pop(0)] if self.mechanics.robot.is_closed else []
        torques = self._take_unknowns(left) if self.inputs else None
        wrenches = [self._wrenches(self._take_unknowns(left))] if self.pushed else []
        residual = self.mechanics.efforts(self.pushed)(q, qd, qdd, *wrenches, *loops) - tau
        if torques is not None:
            residual = residual - np.eye(self.mechanics.robot.nv)[:, list(self.inputs)] @ torques
        if self.parameters.names:
            residual = residual + self.parameters.change(q, qd, qdd, left.pop(0))
        return residual

    def _take_unknowns(self, left: list[Any]) -> Any:
        """Return the next unknowns, between the ends of a step in proportion."""
        found = left.pop(0)
        return (1.0 - self.part) * found + self.part * left.pop(0) if self.ends == 2 else found

    def _wrenches(self, forces: Any) -> Any:
        """Return wrenches on the frames, in their axes: forces at their origins."""
        return np.stack([concatenate(np.zeros(3), forces[3 * i : 3 * i + 3]) for i in range(len(self.pushed))])
