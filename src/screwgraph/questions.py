"""Questions that robots and mechanisms answer alike: the one place that tells them apart."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any, overload

from screwgraph.compiler import Function
from screwgraph.dynamics import inverse_dynamics as inverse_dynamics_of_robot
from screwgraph.errors import InputError
from screwgraph.formats import read_table
from screwgraph.robot import Robot
from screwgraph.simulation import Trajectory
from screwgraph.simulation import simulate as simulate_robot

if TYPE_CHECKING:
    from screwgraph.mechanism import Estimate, InverseSolution, Mechanism, Run

SMOOTHER = "smoother"
"""The method of simulation that solves factor graphs."""


@overload
def simulate(
    model: Robot,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = "rk4",
    tau: Any = None,
    **options: Any,
) -> Trajectory: ...
@overload
def simulate(
    model: Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = "rk4",
    tau: Any = None,
    **options: Any,
) -> Run: ...


def simulate(
    model: Any,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = "rk4",
    tau: Any = None,
    **options: Any,
) -> Any:
    """Let a robot or a planar mechanism move.

    Args:
        model: a robot, or a mechanism.
        q0: position at the beginning; by default the neutral, or the assembled one.
        qd0: velocity at the beginning; by default rest, or what a mechanism's file says.
        time: length of the motion (s), a multiple of dt.
        dt: distance of the states (s).
        method: "rk4", "dop853", "semi_implicit" or "trapezoidal"; of mechanisms also "smoother".
        tau: joint efforts, or torques of the motors: none, constant, or a function of t, q and qd.
        options: rtol, atol, watch; of the smoother coordinates, window, integrator, noise, watch. More of them, and
            what is raised, in `simulation.simulate`, `mechanism.simulate_directly`, `mechanism.simulate_by_smoothing`.

    Raises:
        InputError: as these do; an option that the method does not have.
    """
    if not _is_mechanism(model):
        return _called(simulate_robot, model, q0, qd0, time, dt, method, tau, **options)
    from screwgraph.mechanism import simulate_by_smoothing, simulate_directly

    if method != SMOOTHER:
        return _called(simulate_directly, model, q0, qd0, time, dt, method, tau, **options)
    return _called(simulate_by_smoothing, model, q0, qd0, time, dt, tau, **options)


@overload
def inverse_dynamics(model: Robot, **options: Any) -> Function: ...
@overload
def inverse_dynamics(model: Mechanism, trajectory: Any, **options: Any) -> InverseSolution: ...


def inverse_dynamics(model: Any, *arguments: Any, **options: Any) -> Any:
    """Return tau(q, qd, qdd) of a robot as a function; of a mechanism, the torques along a trajectory.

    A trajectory is a mapping of columns, or a .csv file of them.
    `dynamics.inverse_dynamics` and `mechanism.inverse_dynamics_of` say more, and what is raised.
    """
    if _is_mechanism(model):
        from screwgraph.mechanism import inverse_dynamics_of

        return _called(inverse_dynamics_of, model, *map(_table, arguments), **options)
    return _called(inverse_dynamics_of_robot, model, *arguments, **options)


def estimate(model: Mechanism, measurements: Any, parameters: Any = (), **options: Any) -> Estimate:
    """Estimate the motion of a mechanism, torques of motors and parameters from measurements.

    Measurements are a mapping of columns, or a .csv file of them.
    `mechanism.estimate_motion` says more, and what is raised.
    """
    if not _is_mechanism(model):
        raise InputError(f"{model!r} is no mechanism", fix="sg.estimate(sg.load_mechanism(path), measurements)")
    from screwgraph.mechanism import estimate_motion

    return _called(estimate_motion, model, _table(measurements), parameters, **options)


def _is_mechanism(model: Any) -> bool:
    """Tell mechanisms from robots; their room is loaded when something else than a robot is asked about."""
    if isinstance(model, Robot):
        return False
    from screwgraph.mechanism import Mechanism

    return isinstance(model, Mechanism)


def _table(given: Any) -> Any:
    """Return a table of columns; where a file is named, what it holds. Raises InputError."""
    return read_table(given) if isinstance(given, (str, os.PathLike)) else given


def _called(function: Any, *arguments: Any, **options: Any) -> Any:
    """Call a function; arguments that it does not take are an error of the user's."""
    import inspect

    try:
        inspect.signature(function).bind(*arguments, **options)
    except TypeError as error:
        known = ", ".join(inspect.signature(function).parameters)
        raise InputError(f"{function.__name__}: {error}", fix=f"it takes {known}") from None
    return function(*arguments, **options)
