"""Questions that robots and mechanisms answer alike: the one place that tells them apart."""

from __future__ import annotations

from typing import Any, overload

from screwgraph.mechanism import Mechanism, Run, simulate_directly
from screwgraph.robot import Robot
from screwgraph.simulation import Trajectory
from screwgraph.simulation import simulate as simulate_robot


@overload
def simulate(model: Robot, q0: Any = None, qd0: Any = None, time: float = 5.0, **options: Any) -> Trajectory: ...
@overload
def simulate(model: Mechanism, q0: Any = None, qd0: Any = None, time: float = 5.0, **options: Any) -> Run: ...


def simulate(model: Any, q0: Any = None, qd0: Any = None, time: float = 5.0, **options: Any) -> Any:
    """Let a robot or a planar mechanism move from q0, with velocity qd0, for a time (s).

    Options of both are dt (s), method, tau (efforts, or torques of the motors), rtol, atol, watch:
    `simulation.simulate` and `mechanism.simulate_directly` say what they mean, and what is raised.
    """
    if isinstance(model, Mechanism):
        return simulate_directly(model, q0, qd0, time, **options)
    return simulate_robot(model, q0, qd0, time, **options)
