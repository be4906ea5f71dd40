"""The equations of motion of a robot at one instant as one factor."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from screwgraph.estimation.parameters import Parameters
from screwgraph.plan.mechanics import Mechanics


@dataclass(frozen=True)
class Equilibrium:
    """Inverse dynamics less all joint torques and forces: zero where the equations of motion hold.

    Inverse dynamics is the compiled function of the nominal robot; unknown parameters enter it linearly.
    After q, qd, qdd come the multipliers of a closed chain, unknown torques of the coordinates `inputs` at the instant,
    or at both ends of the step (`ends`) that the instant divides at `part`; and parameters over their scale.
    """

    mechanics: Mechanics
    parameters: Parameters
    inputs: tuple[int, ...] = ()
    ends: int = 0
    part: float = 0.0

    def __call__(self, q: Any, qd: Any, qdd: Any, *more: Any, tau: Any) -> Any:
        """Return the residual (nv,), N m or N; `tau` (nv,) are known torques."""
        left = list(more)
        loops = [left.pop(0)] if self.mechanics.robot.is_closed else []
        residual = self.mechanics.efforts()(q, qd, qdd, *loops) - tau
        if self.inputs:
            unknown = left.pop(0)
            if self.ends == 2:
                unknown = (1.0 - self.part) * unknown + self.part * left.pop(0)
            residual = residual - np.eye(self.mechanics.robot.nv)[:, list(self.inputs)] @ unknown
        if self.parameters.names:
            residual = residual + self.parameters.change(q, qd, qdd, left.pop(0))
        return residual
