"""Simulation of robots and mechanisms."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from screwgraph.arguments import checked
from screwgraph.queries.models import check_model, check_noise, refuse
from screwgraph.robot import Robot
from screwgraph.simulation import AUTO, Trajectory, Watch
from screwgraph.simulation import simulate as integrate

if TYPE_CHECKING:
    from screwgraph.estimation import Noise
    from screwgraph.mechanism import Mechanism

SMOOTHER = "smoother"
"""The method of simulation that solves factor graphs."""
TOLERANCE = 1e-9


@checked
def simulate(
    model: Robot | Mechanism,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = AUTO,
    tau: Any = None,
    *,
    rtol: float | None = None,
    atol: float | None = None,
    coordinates: str | None = None,
    window: int | None = None,
    marginal: bool | None = None,
    integrator: str | None = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Trajectory:
    """Return the motion of a robot or of a planar mechanism.

    Args:
        model: a robot (tree or closed chain), or a mechanism.
        q0: initial position (nq,); by default the neutral or the assembled one. Loops are closed at the nearest one.
        qd0: initial velocity (nv,); by default rest, or that of the mechanism's file.
        time: duration (s), a multiple of dt.
        dt: step (s), and distance of the states that are returned.
        method: "auto": "rk4" (order 4) while it is stable and keeps the energy balance, where it is not an adaptive
            method, "radau5" (order 5, L-stable) for stiff motions, or "dop853" (order 8); `.method` of the result says
            which. Or one of these, or another rule of `screwgraph.time.RULES`: "semi_implicit" (Euler, order 1),
            implicit "trapezoidal" (order 2), "radau" (order 3, L-stable), ...; or "smoother": the factor graph in a
            sliding window of states (Blanco-Claraco et al., 2021, section 7.1).
        tau: joint torques and forces, of mechanisms the torques of the motors: zero, constant (n,), or a function of
            t, q and qd, which is called several times a step.
        rtol: relative error of a step that adaptive methods allow, 1e-9 by default.
        atol: absolute error of a step that adaptive methods allow (SI units), 1e-9 by default.
        coordinates: of the smoother of mechanisms: "spanning" or "independent".
        window: of the smoother: states in the window, 2 or more.
        marginal: of the smoother: whether states that leave the window stay as a prior.
        integrator: of the smoother: "trapezoidal", "hermite_simpson", "euler"; of mechanisms also "runge_kutta", of
            robots "radau", "linear_acceleration", "semi_implicit". By default trapezoidal; of robots whose joints have
            dampers that are faster than dt, radau.
        noise: of the smoother: standard deviations of the factors.
        watch: progress callback with the time (s) reached, first 0.0; the simulation ends where it returns true.

    Warns:
        RuntimeWarning: a tenth of the energy that moves, or more, is not accounted for: the motion is not accurate.

    Raises:
        InputError: a bad argument, an initial velocity that loops forbid, or a simulation that diverged.
        EliminationError: a joint moves nothing that has inertia.
        ModelError: the mechanism cannot be assembled.
    """
    check_model(model)
    smoothing = {"coordinates": coordinates, "window": window, "marginal": marginal}
    smoothing |= {"integrator": integrator, "noise": noise}
    if method == SMOOTHER:
        from screwgraph.estimation import Noise, simulate_by_smoothing

        check_noise(noise, Noise)

        refuse({"rtol": rtol, "atol": atol}, "they are tolerances of adaptive methods", "leave them out")
        chosen: dict[str, Any] = {name: value for name, value in smoothing.items() if value is not None}
        return simulate_by_smoothing(model, q0, qd0, time, dt, tau, watch=watch, **chosen)
    refuse(smoothing, "they are options of the method 'smoother'", "leave them out")
    tolerances = {"rtol": TOLERANCE if rtol is None else rtol, "atol": TOLERANCE if atol is None else atol}
    return integrate(model, q0, qd0, time, dt, method, tau, watch=watch, **tolerances)
