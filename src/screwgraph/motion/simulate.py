"""Simulation of robots and mechanisms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from screwgraph.base.argument_checks import check_arguments, describe_value
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.functions_of_time import refuse_driven
from screwgraph.motion.simulation import AUTO, Contact, Ground, Trajectory, Watch
from screwgraph.motion.simulation import simulate as integrate

if TYPE_CHECKING:
    from screwgraph.motion.control import ControlLoop
    from screwgraph.motion.estimation import Noise

SMOOTHER = "smoother"
"""The method of simulation that solves factor graphs."""


@check_arguments
def simulate(
    model: Model,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = AUTO,
    tau: Any = None,
    *,
    friction: bool = False,
    stops: bool = False,
    effort_limits: bool = False,
    springs: Mapping[str, float | Sequence[float]] | None = None,
    driven: Mapping[str, Any] | None = None,
    contacts: Sequence[Contact] | str = (),
    ground: Ground | None = None,
    external_wrenches: Mapping[str, Any] | None = None,
    controller: ControlLoop | str | None = None,
    rtol: float | None = None,
    atol: float | None = None,
    coordinates: str | None = None,
    window: int | None = None,
    marginal: bool | None = None,
    integrator: str | None = None,
    noise: Noise | None = None,
    watch: Watch | None = None,
) -> Trajectory:
    """Return the motion of a robot or of a mechanism.

    Args:
        model: a robot (tree or closed chain), or a mechanism.
        q0: initial position (nq,); by default the neutral or the assembled one, of robots with contacts raised until
            none is within the ground. Loops are closed at the nearest one.
        qd0: initial velocity (nv,); by default rest, or that of the mechanism's file.
        time: duration (s), a multiple of dt.
        dt: step (s), and distance of the states that are returned.
        method: "auto": "rk4" (order 4) while it is stable and keeps the energy balance, where it is not an adaptive
            method, "radau5" (order 5, L-stable) for stiff motions, or "dop853" (order 8); `.method` of the result says
            which. Or one of these, or another rule of `screwgraph.motion.integration_rules.RULES`: "semi_implicit"
            (Euler, order 1), implicit "trapezoidal" (order 2), "radau" (order 3, L-stable), ...; or "smoother": the
            factor graph in a sliding window of states (Blanco-Claraco et al., 2021, section 7.1).
        tau: joint torques and forces, of mechanisms the torques of the motors: zero, constant (n,), or a function of
            t, q and qd alone, which is called several times a step, and again. Adaptive methods do not skip torques
            that act for the time between two states.
        friction: whether joints have the Coulomb friction of the file: they stick and slip; so do dampers of
            mechanisms, whose friction is smooth otherwise.
        stops: whether joints stop, without bouncing, at the position limits of the file. Friction and stops act in
            steps of "semi_implicit" only, which "auto" then takes, as `Simulator` does: of order 1, torques held over
            each step. Without stops, `.doubts` of the result names joints that leave their range.
        effort_limits: whether torques and forces are cut to the effort limits of the file.
        springs: of joints, by name: stiffness (N m/rad, N/m), or stiffness and rest position (rad, m). They act in
            steps of "semi_implicit", as friction does; `.work` has what they give.
        driven: coordinates that follow functions of time, in the place of those of a mechanism's file: motors of
            mechanisms, joints of one coordinate of robots. {"crank": "2*pi*t"} are expressions in t (s), or Python
            functions of t, differentiated exactly; {"t": times, "crank": samples} have a spline of degree 5 through
            them. `.tau` of the result has the efforts that they take. Initial states are those at t = 0.
        contacts: points and balls of bodies that touch the ground (Signorini's and Coulomb's laws), "collisions", those
            of the model's file (shapes of a robot, `contacts:` of a mechanism), or the path of a YAML file. They act in
            steps of "semi_implicit", as friction does; `.external_wrenches` of the result are their wrenches on frames.
            Axes of a floating base do not turn within a step.
        ground: by default the plane z = 0 of the base's axes.
        external_wrenches: wrenches on links or frames, (6,) by name: moment (N m), then force (N), in the axes of the
            frame, which turn with it, as of `inverse_dynamics`; of mechanisms forces on points and moments on angles.
            Constant, functions of t, q and qd, or samples, {"t": times (N,), "link": (N, 6)}, linear in between.
        controller: what gives the torques, `sg.control.ControlLoop`, or the path of a YAML file of tasks, whose
            references stay what they are at q0. Its contacts and ground are those of the motion unless they are given.
            Torques are held over each step: "auto" takes "semi_implicit".
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
        RuntimeWarning: a tenth of the energy that moves, or more, is not accounted for: the motion is not accurate; or
            torques of a function jump too often for "auto", or are others for the same state. `.warnings` of the
            result have it, too.

    Raises:
        InputError: a bad argument, an initial velocity that loops forbid, or a simulation that diverged.
        EliminationError: a joint moves nothing that has inertia.
        ModelError: the mechanism cannot be assembled.
    """
    if controller is not None:
        loop = _make_loop(model, controller, q0)
        loop = loop.raised() if q0 is None else loop
        q0 = loop.q0 if q0 is None else q0
        _refuse({"tau": tau, "driven": driven}, "the controller gives torques")
        own_ground = loop.ground if loop.contacts else None
        contacts, ground, tau = contacts or loop.points, own_ground if ground is None else ground, loop
        method = "semi_implicit" if method == AUTO else method
    laws = {"friction": friction, "stops": stops, "effort_limits": effort_limits}
    graph: dict[str, Any] = {"coordinates": coordinates, "window": window, "marginal": marginal}
    graph |= {"integrator": integrator, "noise": noise}
    tolerances = {"rtol": rtol, "atol": atol}
    if method == SMOOTHER:
        from screwgraph.motion.estimation import simulate_by_smoothing

        _refuse({name: on or None for name, on in laws.items()}, "the smoother has no law for them")
        _refuse({"springs": springs}, "the smoother has no law for them")
        _refuse(tolerances, "they are tolerances of adaptive methods")
        _refuse({"contacts": contacts or None, "ground": ground}, "the smoother has no law for contacts")
        _refuse({"driven": driven}, "the smoother has no law for coordinates that are driven")
        _refuse({"external_wrenches": external_wrenches}, "the smoother has no law for them")
        refuse_driven(model, "smoothed simulations")
        return simulate_by_smoothing(model, q0, qd0, time, dt, tau, watch=watch, **_select_given(graph))
    _refuse(graph, "they are options of the method 'smoother'")
    touching: dict[str, Any] = {"contacts": contacts, "ground": ground, "external_wrenches": external_wrenches}
    return integrate(
        model,
        q0,
        qd0,
        time,
        dt,
        method,
        tau,
        **laws,
        springs=springs,
        driven=driven,
        **touching,
        watch=watch,
        **_select_given(tolerances),
    )


def _make_loop(model: Model, controller: ControlLoop | str, q0: Any) -> ControlLoop:
    from screwgraph.motion.control import ControlLoop, load_controller

    if isinstance(controller, ControlLoop):
        return controller
    if not isinstance(controller, str):
        raise InputError(
            f"controller: expected a ControlLoop or the path of a file of tasks, got {describe_value(controller)}",
            fix="make one with sg.control.ControlLoop(model, tasks); a function of t, q, qd is given as tau=",
        )
    return load_controller(controller, model).make_loop(model, q0)


def _select_given(options: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if value is not None}


def _refuse(options: Mapping[str, Any], why: str) -> None:
    """Raise InputError where an option is given that the method does not have."""
    names = ", ".join(f"{name}=" for name in _select_given(options))
    if names:
        raise InputError(f"{names} cannot be used here", why=why, fix="leave them out")
