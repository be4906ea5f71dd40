"""Simulation by fixed-lag smoothing of factor graphs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Protocol

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot import check_moves
from screwgraph.motion.estimation.mechanism_noise import Noise
from screwgraph.motion.estimation.mechanisms.windows import make_mechanism_windows
from screwgraph.motion.estimation.robots.windows import RobotWindows
from screwgraph.motion.simulation import (
    Trajectory,
    Watch,
    accelerations_under,
    check_start,
    dynamics_of,
    sample_times,
    simulate_dynamics,
    validate_torques,
)
from screwgraph.motion.simulation.state_recorder import report_time
from screwgraph.optimize import FixedLag, Status, WindowStatus

FADING = 1e-3
"""Standard deviation of integrators of marginal windows: with larger ones they forget all but rounding."""
CLOSE = 1e-6
"""Largest entry of a last step (m, rad, and their rates) that is still accepted where rounding stalls the search."""

Values = dict[str, np.ndarray]


class Windows(Protocol):
    """Windows of so many `steps` over the graph of a model; `families` are those of q, qd and qdd.

    The progress callback is called after each `chunk` of states.
    """

    @property
    def steps(self) -> int: ...
    @property
    def chunk(self) -> int: ...
    @property
    def families(self) -> tuple[str, str, str]: ...

    def begun(self, first: tuple[Any, Any, Any], times: np.ndarray) -> tuple[Windows, FixedLag]:
        """Return a smoother of the first window; `first` are position, velocity and acceleration at times[0]."""
        ...

    def stretch(self, lag: FixedLag, times: np.ndarray) -> tuple[Values, list[WindowStatus], FixedLag]:
        """Solve windows up to times[1:], or at least one; return values, ends, and the smoother."""
        ...

    def onward(self, lag: FixedLag, times: np.ndarray, is_whole: bool) -> tuple[Windows, FixedLag]:
        """Return what goes on after a window at some times, which ended a stretch that was `is_whole` or not."""
        ...


WINDOWS: Mapping[str, Callable[..., Windows]] = {
    "robot": RobotWindows,
    "mechanism": lambda dynamics, *own: make_mechanism_windows(dynamics, *own[:-1]),
}
"""By kind of model: windows of dynamics, options, and the position at which the motion begins."""


@check_arguments
def simulate_by_smoothing(
    model: Model,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    tau: Any = None,
    *,
    coordinates: str = "spanning",
    window: int = 2,
    marginal: bool = False,
    integrator: str | None = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Trajectory:
    """Simulate a model: its factor graph, solved in a window of states that moves on.

    Blanco-Claraco et al. (2021), section 7.1. The first state of each window is held as it was found, or, marginal,
    known as surely as what left the window says. Arguments as for `sg.simulate`.

    Raises:
        InputError: a bad argument, or a window whose optimisation fails.
        ModelError: the mechanism cannot be assembled.
    """
    check_moves(model)
    times, dynamics = sample_times(model, time, dt), dynamics_of(model)
    steps, torques = validate_window(window, len(times)), validate_torques(dynamics, tau)
    weights = noise or Noise(integration=FADING if marginal else Noise().integration)
    q, qd = dynamics.start(q0, qd0)
    own = steps, float(times[1]), coordinates, integrator, weights, marginal, torques
    windows = WINDOWS[model.kind](dynamics, *own, q)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        check_start(dynamics, q, qd)
        first = (q, qd, accelerations_under(dynamics, torques)(0.0, q, qd))
        values = _solve_windows(windows, first, times, report_time(watch, "simulating by the smoother", times))
        q, qd, qdd = (values[name] for name in windows.families)
        return simulate_dynamics(dynamics, "smoother", torques, times[: len(q)], q, qd, qdd=qdd)


def validate_window(window: Any, states: int) -> int:
    """Return how many states a window has, at most all. Raises InputError for anything but a number from 2."""
    if isinstance(window, bool) or not isinstance(window, (int, np.integer)) or window < 2:
        raise InputError(f"window = {window!r} is not a number of states from 2", fix="the paper takes 2 to 10")
    return min(int(window), states)


def _solve_windows(
    windows: Windows, first: tuple[Any, Any, Any], times: Float[np.ndarray, " N"], watch: Watch
) -> Values:
    """Solve window by window; return values at all times, or as far as the callback allows. Raises InputError."""
    windows, lag = windows.begun(first, times[: windows.steps])
    _check([lag.solve()], float(times[0]))
    parts, done = [lag.values], windows.steps
    stopped = watch(float(times[0]))
    while not stopped and done < len(times):
        ahead = times[done - 1 : done + windows.chunk]
        record, ended, lag = windows.stretch(lag, ahead)
        _check(ended, float(ahead[1]))
        parts.append(record)
        done += len(ended)
        windows, lag = windows.onward(lag, times[done - windows.steps : done], len(ended) == len(ahead) - 1)
        stopped = watch(float(times[done - 1]))
    return {name: np.concatenate([part[name] for part in parts]) for name in windows.families}


def _check(ended: list[WindowStatus], t: float) -> None:
    """Raise InputError where a window was not solved; t (s) is where the first one ends."""
    for solved in ended:
        if solved.status is not Status.CONVERGED and not solved.step <= CLOSE:
            raise InputError(
                f"the window that ends after t = {t:g} s cannot be solved: {solved.status.value}",
                why=f"its last step was {solved.step:.3g}; the model may pass a singular position",
                fix="take a smaller dt, or another integrator",
            )
