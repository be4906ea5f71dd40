"""Half a step of positions, a whole one of velocities, and the other half of positions."""

from __future__ import annotations

from typing import Any

from screwgraph.motion.simulation.step_code import TracedSteps
from screwgraph.motion.simulation.step_rules.base import Solve
from screwgraph.tape import Number


def drift_kick_drift(space: TracedSteps, solve: Solve, h: Number, q: Any, v: Any) -> tuple[Any, Any]:
    """Take a step in which `solve` returns (v' - v) / h at a position that is held: of order 2 where that is.

    Strang (1968). Where forces do not depend on velocities, it is the position form of Verlet's method, which is
    symplectic: Hairer, Lubich & Wanner (2006), sections I.1.4 and II.5.
    """
    middle = space.retract(q, (0.5 * h) * v)
    ahead = v + h * solve(middle, v)
    return space.retract(middle, (0.5 * h) * ahead), ahead
