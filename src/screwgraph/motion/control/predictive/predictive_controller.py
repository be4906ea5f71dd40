"""Model-predictive control of a robot: every tick is one call of one function, of a known number of operations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import (
    Argument,
    CachedCode,
    Function,
    Result,
    make_direct_provenance,
    make_function,
    make_numbered_argument,
    robot_arguments,
    set_nominal,
)
from screwgraph.mechanics.dynamics.query import joint_variables
from screwgraph.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.controller import hold_contacts
from screwgraph.motion.control.models.base import BASE
from screwgraph.motion.control.models.robot import ControlledRobot
from screwgraph.motion.control.predictive.contact_model import ContactModel
from screwgraph.motion.control.predictive.horizon import Horizon
from screwgraph.motion.control.predictive.horizon_arguments import describe_arguments, stack_schedule
from screwgraph.motion.control.predictive.horizon_costs import FrameCost, HorizonCost
from screwgraph.motion.control.predictive.horizon_examples import draw_examples
from screwgraph.motion.control.predictive.limits import HorizonLimits
from screwgraph.motion.control.predictive.motors import choose_motors
from screwgraph.motion.control.predictive.stage_model import DrivenModel, StageModel
from screwgraph.motion.control.predictive.state_coordinates import (
    RobotStates,
    StateCoordinates,
    check_near,
    make_states,
)
from screwgraph.motion.control.predictive.terminal_costs import TERMINAL_COSTS, TerminalCost
from screwgraph.motion.control.predictive.tick import Tick
from screwgraph.motion.control.predictive.tick_outcome import SOLUTION
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.control.stiff_dampers import damp_implicitly
from screwgraph.motion.simulation.contacts import Contact, Ground

DT = 0.01
"""Time (s) from one instant to the next, by default."""
ROUNDING = 1e-9
"""Part of a rate."""
FEWEST, LONGEST = 2, 1000
"""Stages of a horizon."""
ARGUMENTS = ("q", "qd", "references", "weights", "terminal", "contacts", "first", "advance", "previous")
"""Names of arguments that are none of costs of one's own."""
MOST_SHORTENINGS = 20
"""A quarter of a quarter, and so on: a step of 1e-12 is none."""


@check_arguments
def mpc(
    model: Model,
    dt: float = DT,
    horizon: int = 32,
    *,
    actuated: Sequence[str] | None = None,
    contacts: Sequence[Contact | HeldContact] = (),
    ground: Ground | None = None,
    rate: float | None = None,
    near: Any = None,
    frames: Sequence[str] = (),
    limits: HorizonLimits | None = None,
    drag: float | None = None,
    costs: Sequence[HorizonCost] = (),
    terminal: str = "weights",
    iterations: int = 1,
    barrier_steps: int = 2,
    shortenings: int = 4,
    dtype: str = "float64",
) -> Function:
    """Return a model-predictive controller: from a state, references and its last solution to efforts and a new one.

    It follows references over a horizon with inputs u_k that are held for `dt` (s): v_{k+1} = v_k + dt qdd(q_k, v_k,
    u_k), and q_{k+1} is where v_{k+1} leads from q_k in dt; dampers that would turn velocities around within dt, alone
    or together, act with v_{k+1}, as of arms with 10 N m s/rad. It minimises dt times the sum of weighted squares of
    x_k - x*_k, x = (q, qd), k = 0..N, and of u_k - u*_k, k = 0..N-1, plus penalties of states beyond their limits. A
    call linearises the dynamics along the last solution, takes `barrier_steps` steps of a primal-dual interior point on
    the quadratic program that is left, whose barrier adapts, and keeps slacks and multipliers for the next call: the
    real-time iteration of Diehl et al. (2005) with the interior point of Rao, Wright and Rawlings (1998). `converge`
    calls it until nothing changes.

    Without contacts, inputs are efforts of joints, or of actuators (tau = B(q) u: gears, tendons, cables, jets), within
    their limits. With contacts, inputs are forces of those that are on, in the ground's axes (normal, tangents), and
    accelerations of joints of legs whose contact is off, and of all other joints; of legs with more joints than
    components, accelerations along orthogonal axes that move no contact. Feet that are on do not accelerate, but for
    `drag`, and of straight legs give way: they are held by damped least squares where the volume of a leg's Jacobian is
    below a fiftieth of a usual one. Forces stay within friction pyramids; efforts, of actuators where there are some,
    cost what states beyond theirs do beyond their limits. Forces are compared with equal shares of the weight and u*.
    Positions of floating bases and ball joints are compared by `sg.difference`, poses of `frames` by the rotation
    vector in the goal's axes and the way in the base's.

    The function is (q, qd, references, weights, advance, previous) -> (tau, states, efforts, gain, next, solution).
    With contacts, `contacts` stands before `advance` and `forces` behind `efforts`; with frames, `frames`, poses
    (N + 1, frames, 4, 4), and `frame_weights` (frames, 6) stand behind `weights`. Arguments, after q (nq,), qd (nv,):
    `references` (N + 1, nq + nv + nu), x* and u* from now on (`stack_references`); `weights` (2 nv + nu,), with
    contacts (2 nv + 2 nu,), see `stack_weights`; `contacts` (N, contacts, 2): at each stage 1 where a contact is on,
    else 0, and Coulomb's coefficient (`stack_schedule`); `advance`, the part of `dt` that has gone by since the last
    call, by which the last solution is moved (its barrier is then from 1e-4 to 1e-3, so that limits are left, and blows
    forgotten, in few steps); `previous`, the `next` of the last call, first zeros: the horizon then starts with a robot
    at rest. It does so, too, where the last call left more than 0.3 rad or m between the state and its trajectory, as
    of robots that were set elsewhere, and `advance` is positive.
    With `rate`, calls come more often than instants, and instants keep their times: `first` (s), before `advance`, is
    the time from now to the first of them, at most `dt`, and at least half of that between calls
    (`find_first_interval`); all others are `dt` apart. Each state then counts for the time from the instant before,
    and each input for that to the next, so that costs do not jump as an instant goes by. References and contacts of an
    instant then stay as they are until it has gone by, and a contact is switched at its time, not up to `dt` beside it.
    A whole step is taken unless it raises a merit function, cost and penalties plus defects by the size of their
    costates, beyond what the barrier leaves open; else the part of it with the least merit is, or none (`shortenings`).
    Results: `tau` (m,) (N m, N, the units of actuators' inputs), the efforts of motors now, of joints in the robot's
    order, of actuators as `controller` has them; `states` (N + 1, nq + nv), `efforts` (N, m) and `forces`
    (N, components) (N) expected; `gain` (m, 2 nv): tau changes by so much with displacements and velocities, between
    calls; `solution`: status (0; 1: the step was shortened, or the trajectory begins elsewhere, so that it is not the
    optimum yet; 3: arguments without sense, such as poses that are no rigid motions, a last solution that is no motion,
    or a state at which loops cannot be closed: all results but `next` and `solution` are zero), cost, largest violation
    of limits of states, with contacts of efforts, too (rad, m, 1/s, N m), defect of the last solution's dynamics,
    largest change of the trajectory, barrier.

    Args:
        model: robot that stands or floats, or mechanism, whose efforts are those of its motors. Of closed chains and
            mechanisms, q and qd are those of independent joints or coordinates, which carry all limits; loops are
            closed exactly at each instant, in the assembly mode of `near`.
        dt: time (s) from one instant of the horizon to the next.
        horizon: how many there are (N).
        actuated: names of the motors, as of `controller`: actuators, or joints; by default the robot's actuators, and
            of robots without them, all joints but a floating base. A name of both is that of the actuator. With
            contacts, motors are as many as joints, determine their torques, and are linear in their inputs.
        contacts: points, balls (`sg.Contact`, of whose law only friction counts), soles (`sg.control.Sole`) and points
            that glide (`sg.control.GlidingPoint`) or stand on legs of two joints (`sg.control.PlanarPoint`), each on at
            least as many joints of its own as its force has components.
        ground: the plane on which feet stand.
        rate: calls per second, at least 1 / dt, where the first interval is an argument.
        near: position (nq,) of all joints or coordinates, near which loops are closed by six steps of Newton's method;
            by default the neutral one. Where robots stand otherwise, give that position.
        frames: links or frames whose poses have goals.
        costs: further ones beside those of states and inputs; goals (N + 1, ...) and weights of each are arguments.
        limits: efforts, positions and velocities that are kept; by default those of the robot's file.
        drag: of feet that are on and move (1/s): they lose this part of their velocity in a second; by default all of
            it in two steps.
        terminal: the cost of the last state: by "weights", as of all others, or "riccati", what going on for ever costs
            near a goal of equilibrium. `terminal` (2 nv, 2 nv), from `solve_riccati`, then stands behind `weights`.
        iterations: linearisations a call.
        barrier_steps: steps of the interior point after each.
        shortenings: how many shorter steps, each a quarter of the one before, are tried where the whole step raises a
            merit function: cost, penalties included, and defects. With 0, steps are whole, whatever they lead to.
        dtype: "float64", or "float32".

    Raises:
        EliminationError: only a part of a joint of a closed chain is independent.
        InputError: a mechanism has no motors, or is on contacts, a foot is on no leg, a joint or actuator is unknown,
            motors do not determine the torques of joints on contacts, or a number has no sense.
    """
    check_states(model)
    check_numbers(dt, horizon, iterations, barrier_steps, shortenings, rate)
    kept = limits or HorizonLimits()
    stage = make_model(model, dt, actuated, contacts, ground, kept, drag, near)
    lower, upper = kept.states(stage.robot)
    efforts, costs = kept.efforts(stage.motors), (*list_frame_costs(frames), *costs)
    check_costs(stage.coordinates, costs)
    own = Horizon(
        stage,
        dt,
        horizon,
        efforts,
        lower,
        upper,
        kept.penalty,
        iterations,
        barrier_steps,
        shortenings,
        costs,
        choose_terminal_cost(terminal, stage, costs),
        None if rate is None else 0.5 / rate,
    )
    tick = Tick(own)
    arguments = _list_arguments(tick)

    def make(_: Any) -> CachedCode:
        report_progress("writing the program of a horizon")
        return CachedCode(tick.routine([name for argument in arguments for name in argument.names]), "none")

    f = make_function(
        "mpc",
        ("mpc", own.question),
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a model-predictive controller"),
        _list_results(tick),
        quietly=True,
    )
    f = f.astype(dtype)
    if contacts and all(np.ndim(contact.friction) == 0 for contact in contacts):
        f = replace(f, arguments=set_nominal(f.arguments, {"contacts": stack_schedule(f, contacts)}))
    return replace(f, origin=replace(f.origin, examples=lambda: draw_examples(f, own)))


def make_model(
    model: Model,
    dt: float,
    actuated: Sequence[str] | None,
    contacts: Sequence[Contact | HeldContact],
    ground: Ground | None,
    limits: HorizonLimits,
    drag: float | None,
    near: Any = None,
) -> StageModel:
    """Return the model of a stage. Raises InputError."""
    place = check_near(model, near)
    damped = damp_implicitly(model, dt) if isinstance(model, Robot) else model
    motors = choose_motors(damped, actuated, place)
    if not contacts:
        for name, value in (("ground", ground), ("drag", drag), ("force of the limits", limits.force)):
            if value is not None:
                raise InputError(f"{name} without contacts", fix='contacts=[sg.Contact("foot"), ...]')
        return DrivenModel(motors)
    if not isinstance(motors.coordinates.model, Robot):
        raise InputError(f"mpc of {model.name!r} on contacts", why="it is no robot: mechanisms have none in horizons")
    robot = ControlledRobot(motors.coordinates.model).with_motors(None)  # laws of force must be linear
    rate = 0.5 / dt if drag is None else drag
    if not 0.0 <= rate < np.inf:
        raise InputError(f"drag is {rate!r}", why="it must be finite, from 0 on (1/s)")
    held, plane = hold_contacts(robot, contacts, ground)
    motion = ReducedMotion(robot, held, plane)
    count, base = len(motion.coordinates.places), tuple(range(BASE if motion.floats else 0))
    if not motion.legs or motion.base != base or not len(motion.pivots) == len(motors.names) == count - len(base):
        raise InputError(
            f"mpc of {robot.name!r} on contacts",
            why=f"its motors, {len(motors.names)}, do not determine the torques of {count - len(base)} joints",
            fix="list as many motors among actuated, of which each joint has one",
        )
    weight = robot.mass * float(np.linalg.norm(np.asarray(robot.gravity, dtype=float)))
    return ContactModel(RobotStates(robot, motors.coordinates.near), motors, motion, rate, limits.largest_force(weight))


def list_frame_costs(frames: Sequence[str]) -> list[FrameCost]:
    """Return the cost of poses of frames, if there are some."""
    names = (frames,) if isinstance(frames, str) else tuple(frames)
    return [FrameCost(names)] if names else []


def check_costs(states: StateCoordinates, costs: Sequence[HorizonCost]) -> None:
    """Raise InputError where a model cannot have a cost of a horizon, or arguments would have one name."""
    found = set[str](ARGUMENTS)
    for cost in costs:
        cost.check(states)
        if 0 in (*cost.goal_shape, *cost.weights_shape):
            raise InputError(
                f"the cost {cost.name!r} has no goal, or no weight", why="it has a number of each at least"
            )
        for name in (cost.name, cost.weights_name):
            if name in found or not (name.isidentifier() and name.isascii()):
                raise InputError(
                    f"an argument of a cost is called {name!r}",
                    why="another one is, too" if name in found else "names are letters, digits and _",
                    fix="give the cost another name",
                )
            found.add(name)


def choose_terminal_cost(name: str, stage: StageModel, costs: Sequence[HorizonCost]) -> TerminalCost:
    """Return the cost of the last state of this name. Raises InputError where there is none, or no such horizon."""
    if name not in TERMINAL_COSTS:
        raise InputError(f"terminal is {name!r}", fix=f"one of {', '.join(TERMINAL_COSTS)}")
    TERMINAL_COSTS[name].check(stage, costs)
    return TERMINAL_COSTS[name]


def _list_arguments(tick: Tick) -> tuple[Argument, ...]:
    model, N, end = tick.own.model, tick.N, tick.own.terminal_shape
    robot = model.robot
    names = [(kind, joint_variables(robot, kind)) for kind in ("q", "qd")]
    shapes: dict[str, tuple[int, ...]] = {
        "references": (N + 1, robot.nq + robot.nv + model.nu),
        "weights": (2 * robot.nv + model.input_weights,),
        **({"terminal": end} if end else {}),
        **{
            name: shape
            for own in tick.own.costs
            for name, shape in ((own.name, (N + 1, *own.goal_shape)), (own.weights_name, own.weights_shape))
        },
        **({"contacts": (N, model.switches // 2, 2)} if model.switches else {}),
        **({"first": ()} if tick.own.is_timed else {}),
        "advance": (),
        "previous": (tick.previous,),
    }
    about = describe_arguments(model)
    own = [replace(make_numbered_argument(name, *s), about=about.get(name, "")) for name, s in shapes.items()]
    timed = [replace(a, period=tick.own.dt) if a.name == "advance" else a for a in own]
    return (*robot_arguments(robot, names), *set_nominal(timed, {"first": tick.own.dt}))


def _list_results(tick: Tick) -> tuple[Result, ...]:
    N, m, robot = tick.N, tick.m, tick.own.model.robot
    shapes: dict[str, tuple[int, ...]] = {"tau": (m,), "states": (N + 1, robot.nq + robot.nv), "efforts": (N, m)}
    shapes |= {"forces": (N, tick.forces)} if tick.forces else {}
    shapes |= {"gain": (m, 2 * robot.nv), "next": (tick.previous,)}
    return (*(Result(name, shape) for name, shape in shapes.items()), Result("solution", (len(SOLUTION),), SOLUTION))


def check_states(model: Model) -> None:
    """Raise InputError where a model is none of `mpc`."""
    if not make_states(model).joints.joints:
        raise InputError(f"mpc of {model.name!r}", why="it has no joints")


def check_numbers(
    dt: float = DT,
    horizon: int = 32,
    iterations: int = 1,
    barrier_steps: int = 2,
    shortenings: int = 4,
    rate: float | None = None,
) -> None:
    """Raise InputError where a number of `mpc` has no sense."""
    if not 0.0 < dt < np.inf:
        raise InputError(f"dt is {dt!r}", why="it must be finite and positive", fix="such as 0.01, in seconds")
    if rate is not None and not 1.0 <= rate * dt * (1.0 + ROUNDING) < np.inf:
        raise InputError(f"rate is {rate!r}", why=f"instants are {1.0 / dt:g} a second, calls at least as many")
    if not FEWEST <= horizon <= LONGEST:
        raise InputError(f"a horizon of {horizon} instants", fix=f"there are from {FEWEST} to {LONGEST}")
    for name, value in (("iterations", iterations), ("barrier_steps", barrier_steps)):
        if not 1 <= value <= LONGEST:
            raise InputError(f"{name} is {value}", fix=f"it is from 1 to {LONGEST}")
    if not 0 <= shortenings <= MOST_SHORTENINGS:
        raise InputError(f"shortenings is {shortenings}", fix=f"it is from 0 to {MOST_SHORTENINGS}")
