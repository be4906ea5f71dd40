"""Torques that a trajectory needs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from screwgraph.errors import InputError
from screwgraph.queries.models import is_mechanism, table_of

if TYPE_CHECKING:
    from screwgraph.mechanism import InverseSolution, Mechanism, Noise
    from screwgraph.simulation import Watch


def inverse_trajectory(
    model: Mechanism,
    trajectory: Mapping[str, Any] | str,
    *,
    q0: Any = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> InverseSolution:
    """Return the torques of the motors that make a mechanism follow a trajectory.

    Blanco-Claraco et al. (2021), section 7.2.

    Args:
        model: a mechanism whose file names its motors.
        trajectory: {"t": (N,) s, coordinate: (N,) m or rad, ...} or a .csv file of these columns: as many coordinates
            as there are degrees of freedom, at equal time steps.
        q0: a position (n,) in the assembly mode that is meant, by default the assembled one.
        noise: standard deviations of the factors.
        watch: progress callback with the number of stages done; the search ends where it returns true.

    Raises:
        InputError: a bad trajectory, no motors, or a graph that cannot be solved.
        ModelError: the mechanism does not reach the trajectory.
    """
    if not is_mechanism(model):
        raise InputError(
            "a robot's torques along a trajectory are inverse dynamics at each of its states",
            fix="sg.inverse_dynamics(robot)(q, qd, qdd) with arrays (N, nq), (N, nv), (N, nv)",
        )
    from screwgraph.mechanism import inverse_dynamics_of

    options = {} if noise is None else {"noise": noise}
    return inverse_dynamics_of(model, table_of(trajectory), q0, watch=watch, **options)
