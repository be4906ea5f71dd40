"""Simulation: from a model and a start to a trajectory."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot import make_unknown_name_error
from screwgraph.motion.simulation.auto_method import STEPS, is_fast, make_guard
from screwgraph.motion.simulation.constraints import Constraints
from screwgraph.motion.simulation.contacts import (
    Contact,
    ContactInputs,
    ContactRecord,
    Ground,
    check_one_motion,
    contact_wrenches,
    locate_forces,
    make_contacts,
    raise_start,
)
from screwgraph.motion.simulation.contacts.geometry.mechanism_contacts import push_points
from screwgraph.motion.simulation.driven_motion import make_driven_motion
from screwgraph.motion.simulation.energy_balance import EnergyBalance
from screwgraph.motion.simulation.energy_warning import (
    advice,
    exchanged_energy,
    imbalance,
    left_to_steps,
    not_a_function,
    open_loops,
    warn_of,
)
from screwgraph.motion.simulation.external_wrenches import ExternalWrenches
from screwgraph.motion.simulation.initial_state import sample_times
from screwgraph.motion.simulation.joint_force_steps import cut_to_limits, joint_options, steps_of, work_of
from screwgraph.motion.simulation.mechanical_work import integrate_power, work_uncertainty
from screwgraph.motion.simulation.methods import AUTO, METHODS, MotionState, Tolerances
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.pushed_motion import PushedMotion
from screwgraph.motion.simulation.state_recorder import Watch, record_states
from screwgraph.motion.simulation.step_doubts import doubt_explicit_rule
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_rules import IMPLICIT
from screwgraph.motion.simulation.stepper import compile_stepper
from screwgraph.motion.simulation.system import Dynamics, Efforts, System, system_of, validate_torques
from screwgraph.motion.simulation.trajectory import Trajectory
from screwgraph.spatial.manifolds.gliding import rates_over_steps

SMALL = 1e-3
"""Part of the potential energy below which no motion is worth a warning."""
Torques = Float[np.ndarray, " m"] | Efforts
"""Constant ones, or a function of time."""


def simulate(
    model: Model,
    q0: Any = None,
    qd0: Any = None,
    time: float = 5.0,
    dt: float = 1e-3,
    method: str = AUTO,
    tau: Any = None,
    friction: bool = False,
    stops: bool = False,
    effort_limits: bool = False,
    driven: Mapping[str, Any] | None = None,
    contacts: Sequence[Contact] | str = (),
    ground: Ground | None = None,
    external_wrenches: Mapping[str, Any] | None = None,
    *,
    springs: Mapping[str, float | Sequence[float]] | None = None,
    rtol: float = 1e-9,
    atol: float = 1e-9,
    watch: Watch | None = None,
) -> Trajectory:
    """Return the motion of a model by a method of integration. Arguments as for `sg.simulate`.

    Loops stay closed, and states on the constraints, after every step.

    Raises:
        InputError: a bad argument, an initial velocity that loops forbid, or a simulation that diverged.
        EliminationError: a joint moves nothing that has inertia.
        ModelError: the mechanism cannot be assembled.
    """
    if method != AUTO and method not in METHODS:
        raise make_unknown_name_error("method", method, [AUTO, *METHODS])
    times, tolerances, dynamics = sample_times(model, time, dt), validate_tolerances(rtol, atol), dynamics_of(model)
    torques = validate_torques(dynamics, tau)
    wrenches = ExternalWrenches.read(dynamics, external_wrenches)
    names = () if wrenches is None else wrenches.names
    touching = make_contacts(model, contacts, ground)
    check_one_motion(*touching)
    laws = StepOptions(IMPLICIT, friction, stops, effort_limits, dict(springs or {}), (), None, *touching, names)
    options = joint_options(dynamics, method, laws)
    if effort_limits:
        torques = cut_to_limits(dynamics, torques)
    pushed = None if wrenches is None or options is not None else PushedMotion(dynamics, wrenches)
    led = make_driven_motion(dynamics if pushed is None else pushed.whole, driven)
    if led is not None:
        led.check_times(times)
    if pushed is not None:
        dynamics = pushed.whole
        torques = pushed.add_to(torques) if led is None else pushed.extend(torques)
    if led is not None:
        if options is None:
            torques = led.with_efforts(torques, pushed and pushed.find_efforts)
        else:
            dynamics = dynamics_of(dynamics.drive(led.functions, options.chosen))
    q, qd = dynamics.start(q0, qd0) if led is None else led.start(q0, qd0)
    with np.errstate(all="ignore"):  # what is not finite is found and said
        if options is not None and options.contacts and q0 is None:
            inputs = ContactInputs.of(dynamics.model, options.contacts, options.ground)
            q = raise_start(dynamics.model, inputs, q)
        check_start(dynamics, q, qd)
        constraints = led or dynamics.constraints(q)
        start = MotionState(q, qd, float(dynamics.violation(q[None])[0]))
        system = system_of(dynamics, torques, constraints)

        def system_at(state: MotionState) -> System:
            return system_of(dynamics, torques, led or dynamics.constraints(state.q))

        if options is not None:
            return _by_joint_forces(options, dynamics, system, start, times, wrenches, watch)
        watched = make_guard(dynamics, system, system_at, tolerances) if method == AUTO else None
        name = STEPS if method == AUTO else method
        if watched is not None and is_fast(system, start, float(times[1])):
            name, states, watched = watched.onward(start, times)
        else:
            states = _states(dynamics, torques, name, start, constraints, system_at, times, tolerances)
        try:
            found = record_states(system, name, start, states, times, watch, watched, advice(method))
        except InputError as error:
            reason = dynamics.blame(error, start.q)
            if reason is None:
                raise
            raise reason from error
        doubts = doubt_explicit_rule(system, method, float(times[1]), start)
        doubts += left_to_steps(found.by, float(times[1])) + open_loops(dynamics, found.q, found.violation)
        if system.is_driven:
            doubts += not_a_function(found.tau[0], system.torques_at(times[:1], q[None], qd[None])[0])
        motion = simulate_dynamics(
            dynamics,
            found.method,
            found.tau,
            found.t,
            found.q,
            found.qd,
            violation=found.violation,
            gained=found.gained,
            doubts=doubts,
            fix=advice(method),
        )
        return motion if pushed is None else pushed.separate(motion)


def _by_joint_forces(
    options: StepOptions,
    dynamics: Dynamics,
    system: System,
    start: MotionState,
    times: Float[np.ndarray, " N"],
    wrenches: ExternalWrenches | None,
    watch: Watch | None,
) -> Trajectory:
    """Return the motion under friction and stops of joints and contacts, by steps that treat them implicitly."""
    dt, robot, record = float(times[1]), dynamics.model, ContactRecord()
    states = steps_of(options, robot, system, start, times, record, wrenches)
    found = record_states(system, options.method, start, states, times, watch)
    ends, rates = ([*own, last] for own, last in zip((found.q, found.qd), next(states)[:2], strict=True))
    qdd = rates_over_steps(robot.manifold, np.array(ends), np.array(rates), dt)
    moved, forces = (found.t, found.q, found.qd), np.array(record.forces[: len(found.q)])
    tau, whole, pushed = found.tau, dynamics, None
    if wrenches is not None:
        pushed = PushedMotion(dynamics, wrenches.acting_on(dynamics))
        whole, tau = pushed.whole, pushed.add_along(*moved, tau)
    if (led := make_driven_motion(whole, None)) is not None:
        by_contacts = None
        if options.contacts:
            planes = ContactInputs.of(robot, options.contacts, options.ground).planes(found.q)
            by_contacts = push_points(robot, options.contacts, forces, found.q, planes)
        tau = led.complete_efforts(*moved, tau, by_contacts)
    gained = work_of(options, whole, *moved, tau)
    doubts = record.doubts(options.contacts)
    motion = simulate_dynamics(
        whole, options.method, tau, *moved, qdd=qdd, gained=gained, doubts=doubts, fix="take a smaller dt"
    )
    if options.contacts:
        located = locate_forces(robot, options.contacts, options.ground, found.q, forces)
        of_contacts = contact_wrenches(robot, found.q, located)
        motion = replace(motion, external_wrenches=of_contacts, contact_forces=located)
    return motion if pushed is None else pushed.separate(motion)


def _states(
    dynamics: Dynamics,
    torques: Torques,
    method: str,
    start: MotionState,
    constraints: Any,
    system_at: Callable[[MotionState], System],
    times: Float[np.ndarray, " N"],
    tolerances: Tolerances,
) -> Iterator[MotionState]:
    """Yield the states after the start: by machine code as long as it holds, from there on by steps in Python."""
    state, done = start, 0
    if not callable(torques):
        made = compile_stepper(dynamics.model.manifold, dynamics.function, constraints, method)
        x = constraints.x if isinstance(constraints, Constraints) else np.zeros(0)
        dt, force = float(times[1] - times[0]), dynamics.force(torques)
        for ahead in [] if made is None else made.states(start, force, len(times) - 1, dt, x):
            yield ahead
            state, done = ahead, done + 1
    if done < len(times) - 1:
        yield from METHODS[method](system_at(state), state, times[done:], tolerances)


def validate_tolerances(rtol: float, atol: float) -> Tolerances:
    """Check the tolerances that a user gives. Raises InputError."""
    for name, value in (("rtol", rtol), ("atol", atol)):
        if isinstance(value, bool) or not isinstance(value, (int, float, np.number)) or not 1e-13 <= value < 1.0:
            raise InputError(f"{name}: expected a tolerance, got {value!r}", fix="give a number from 1e-13 to below 1")
    return Tolerances(float(rtol), float(atol))


def check_start(dynamics: Dynamics, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> None:
    """Check that accelerations are determined where the motion begins. Raises InputError."""
    force = dynamics.force(dynamics.check_efforts(None, "tau"))
    if not np.isfinite(dynamics.function.few(q, qd, force)).all():
        raise InputError(
            "the accelerations at the beginning are not finite",
            why=f"the {dynamics.model.kind} stands at a singular position",
            fix="begin beside it, with another q0, or --state",
        )


def simulate_dynamics(
    dynamics: Dynamics,
    method: str,
    torques: Float[np.ndarray, "*N m"] | Efforts,
    t: Float[np.ndarray, " N"],
    q: Float[np.ndarray, "N nq"],
    qd: Float[np.ndarray, "N nv"],
    *,
    qdd: Float[np.ndarray, "N nv"] | None = None,
    violation: Float[np.ndarray, " N"] | None = None,
    gained: Float[np.ndarray, " N-1"] | None = None,
    doubts: tuple[str, ...] = (),
    fix: str = advice(""),
    check_balance: bool = True,
) -> Trajectory:
    """Return a trajectory: torques, accelerations, energy, work and gaps added to the states that a method found.

    `gained` is the work (J) of each step that the method integrated itself, NaN where it did not. Warns
    (RuntimeWarning) of `doubts`, and where energy is not accounted for, with what to do (`fix`), if asked to: that of a
    motion with other parameters than the model's does not balance.
    """
    if callable(torques):
        tau = np.array([torques(*state) for state in zip(t.tolist(), q, qd, strict=True)]).reshape(len(t), -1)
    else:
        tau = np.tile(torques, (len(t), 1)) if torques.ndim == 1 else torques
    T, U, power = dynamics.energy(q, qd, tau)
    if qdd is None:
        qdd = np.asarray(dynamics.function.few(q, qd, dynamics.force(tau)))
    done, violation = integrate_power(power, t, gained), dynamics.violation(q, violation)
    run = Trajectory(dynamics.model, method, t, q, qd, qdd, tau, balance=EnergyBalance(T + U, done, violation))
    moved = max(exchanged_energy(T, U, done), SMALL * float(np.abs(U).max()))
    residual = run.energy_drift - work_uncertainty(power, t, gained)
    if check_balance and residual <= 2.0 * (
        T.max() + np.ptp(U)
    ):  # what is more is an error of the work: torques change within steps
        doubts += imbalance(method, residual, moved, fix)
    warn_of(doubts)
    return replace(run, warnings=doubts)
