"""Many motions of a robot or a mechanism at once."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Executor, Future
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np

from screwgraph.base.argument_checks import check_arguments, check_signature, convert_numbers, validate_count
from screwgraph.base.errors import InputError
from screwgraph.model import Model
from screwgraph.model.robot.parameters import with_payload
from screwgraph.motion.simulation.contacts import Contact, ContactInputs, Ground, make_contacts, raise_start
from screwgraph.motion.simulation.contacts.live_contacts import change_contacts, lay_live_ground, split_parameters
from screwgraph.motion.simulation.driven_motion import make_driven_motion
from screwgraph.motion.simulation.external_wrenches import ExternalWrenches
from screwgraph.motion.simulation.initial_state import sample_times
from screwgraph.motion.simulation.model_dynamics import dynamics_of
from screwgraph.motion.simulation.parametric_start import live_states
from screwgraph.motion.simulation.pushed_control import Control, add_wrenches_to, select_motions
from screwgraph.motion.simulation.rollouts import (
    Rollouts,
    StepStates,
    join_parts,
    rolled_out,
    warn_of_divergence,
)
from screwgraph.motion.simulation.state_recorder import Watch
from screwgraph.motion.simulation.step_doubts import doubt_explicit_steps, doubt_opening
from screwgraph.motion.simulation.step_options import StepOptions
from screwgraph.motion.simulation.step_parameters import StepValues
from screwgraph.motion.simulation.step_rules import IMPLICIT

MOST_AT_ONCE = 10_000
"""Threads, and parts of motions."""
PART = 1024
"""Motions of which an executor takes care at once."""
MOST = 2_000_000_000
"""Numbers that are kept: 16 GB."""


@check_arguments
def rollout(
    model: Model,
    q0: Any = None,
    qd0: Any = None,
    tau: Any = None,
    time: float = 1.0,
    dt: float = 1e-3,
    *,
    method: str = IMPLICIT,
    friction: bool = False,
    stops: bool = False,
    effort_limits: bool = False,
    springs: Mapping[str, float | Sequence[float]] | None = None,
    parameters: Mapping[str, Any] | None = None,
    payload: str | None = None,
    contacts: Sequence[Contact] | str = (),
    ground: Ground | None = None,
    external_wrenches: Mapping[str, Any] | None = None,
    every: int = 1,
    dtype: str = "float64",
    threads: int = 1,
    executor: Executor | None = None,
    parts: int | None = None,
    watch: Watch | None = None,
) -> Rollouts:
    """Return the motions from many states, in steps of one length, under torques that are held during each step.

    Args:
        model: a robot (tree or closed chain), or a mechanism.
        q0: initial positions (B, nq), or one (nq,) for all; by default as of `simulate`.
        qd0: initial velocities (B, nv), or one (nv,) for all; by default rest, or that of the mechanism's file.
        tau: torques and forces of all joints (N m, N), of mechanisms of the motors: none, constant ones (m,) or, for
            each motion, (B, m); for each step (N, B, m), where B or N may be 1; or a controller: a function of the time
            (s), positions (B, nq) and velocities (B, nv) that returns (m,) or (B, m), called once a step, in order. It
            may remember what it likes, and cannot alter the states.
        time: duration (s), a multiple of dt.
        dt: step (s).
        method: as for `Simulator`; so are the next four.
        friction: whether joints have the Coulomb friction of the file: they stick and slip; so do dampers of
                mechanisms, whose friction is smooth otherwise.
        stops: whether joints stop at the position limits of the file.
        effort_limits: whether torques are cut to the effort limits of the file.
        springs: of joints, by name: stiffness, or stiffness and rest position.
        parameters: values of numbers of the model by name (SI units), as of `forward_dynamics`: (k,) for all motions,
            or (B, k), one row a motion; {"link7.mass": masses} with masses (B, 1). Damping, friction and stiffness of
            joints are implicit. Where loops or constraints depend on one, each motion begins closed for its own.
            "friction", "restitution", "stiffness" and "damping" are those of contacts, of all (B, 1) or each (B, k).
        payload: the link or frame at which the parameter "payload" is a body.
        contacts: as for `Simulator`; their numbers may be arrays (B,), one a motion.
        ground: as for `Simulator`; its numbers may be one set a motion.
        external_wrenches: wrenches on links or frames by name, as for `simulate`: (6,), for each motion (B, 6), for
            each step (N, B, 6), where B or N may be 1; functions of t, q (B, nq) and qd (B, nv) that return (6,) or
            (B, 6); or samples, {"t": times (N,), "link": (N, 6)}. They are held during a step.
        every: keep the states after every so many steps; the number of steps is a multiple of it.
        dtype: "float64", or "float32": half the time, and seven digits.
        threads: how many threads share the motions.
        executor: takes parts of the motions elsewhere: a `ProcessPoolExecutor`, or `client.get_executor()` of Dask. A
            controller is copied to each part, and sees the states of that part only.
        parts: how many; by default one for each 1024 motions.
        watch: progress callback with the time (s) that all motions have reached; they end where it returns true. With
            an executor it cannot end them, and is called with the share of `time` that is done, as parts come back.

    Warns:
        RuntimeWarning: motions diverged; their states are NaN from there on, and `.diverged` says since which step. An
            explicit method amplifies what dampers take, or loops open, in the first motion.

    Raises:
        InputError: a bad argument, or torques that are not finite.
        EliminationError: a joint moves nothing that has inertia.
        ModelError: the mechanism cannot be assembled.
    """
    for name, count in (("threads", threads), ("parts", 1 if parts is None else parts)):
        if not 1 <= count <= MOST_AT_ONCE:
            raise InputError(f"{name} = {count!r} is not a number from 1 to {MOST_AT_ONCE}")
    of_contacts, values = split_parameters(parameters or {})
    names, own = with_payload(values, payload), dict(springs or {})
    points, surface = make_contacts(model, contacts, ground)
    touching = change_contacts(points, of_contacts), lay_live_ground(model, points, surface, of_contacts)
    times, dynamics = sample_times(model, time, dt), dynamics_of(model)
    wrenches = ExternalWrenches.read(dynamics, external_wrenches, axes=3)
    pushed = None if wrenches is None else wrenches.efforts
    pushed_names = () if pushed is None else pushed.names
    options = StepOptions(method, friction, stops, effort_limits, own, names, payload, *touching, pushed_names)
    step = options.step_of(model, dt).astype(dtype)
    if callable(tau):
        check_signature("tau", tau, ("t", "q", "qd"))
    idle = dynamics.check_efforts(None, "tau")
    control: Control = tau if callable(tau) else _efforts(idle, tau, len(times) - 1)
    given = StepValues.from_values(step, names, payload, values) if names else None
    inputs = ContactInputs.of(model, *touching).astype(dtype) if touching[0] else None
    counts = {"tau": 1 if callable(control) else control.shape[1], "parameters": given.count if given else 1}
    counts["external_wrenches"] = 1 if wrenches is None else wrenches.motions
    control = add_wrenches_to(control, wrenches, len(idle), len(times) - 1, dt)
    counts["contacts"] = 1 if inputs is None else inputs.motions
    start = _starts(*live_states(model, given, q0, qd0), counts)
    if inputs is not None and q0 is None:
        start = raise_start(model, inputs, start[0]), start[1]
    _check_kept(len(start[0]), len(times) - 1, every, model)
    threads, driven = validate_count("threads", threads), make_driven_motion(dynamics, None)
    carried = None if given is None else np.atleast_2d(given.carried)
    task = partial(
        rolled_out, step if given is None else step.core, times=times, driven=driven, every=every, threads=threads
    )
    if executor is None:
        found = task(start, control, carried, inputs, watch=watch)
    else:
        found = join_parts(_submit_parts(executor, parts, task, start, control, carried, inputs), watch, times)
    made = Rollouts.from_states(model, method, times[::every], found, given, pushed)
    warn_of_divergence(made)
    own = dynamics if given is None else dynamics_of(given.model(model, 0))
    last = (np.array([dt]), *(() if carried is None else (carried,)))
    if driven is not None:
        last = (*last, driven.numbers_of_steps(times[:1], dt)[0])
    held = np.zeros(len(idle) + sum(pushed.sizes if pushed else ())) if callable(control) else control[0, 0]
    efforts = tuple(x for x in np.split(held, [len(idle)]) if len(x))
    doubts = doubt_opening(own, start[0][0], made.q[0, -1])
    if inputs is None:
        doubts += doubt_explicit_steps(step if given is None else step.core, method, dt, start, (*efforts, *last))
    for doubt in doubts:
        warnings.warn(doubt, RuntimeWarning, stacklevel=3)
    return made


def _efforts(idle: np.ndarray, tau: Any, steps: int) -> np.ndarray:
    """Return torques (steps or 1, motions or 1, m). Raises InputError."""
    m = len(idle)
    try:
        given = convert_numbers(idle if tau is None else tau)
    except (TypeError, ValueError):
        given = np.full(m + 1, np.nan)
    fits = given.ndim in (1, 2, 3) and given.shape[-1] == m and (given.ndim < 3 or given.shape[0] in (1, steps))
    if not fits or not np.isfinite(given).all() or 0 in given.shape[:-1]:
        raise InputError(
            f"tau has the shape {given.shape}, or numbers that are not finite",
            why="it holds the torques and forces (N m, N) of all joints, or of a mechanism's motors",
            fix=f"give ({m},), for each motion (B, {m}), for each step ({steps}, B, {m}), or a function of t, q and qd",
        )
    return given.reshape((1,) * (3 - given.ndim) + given.shape)


def _starts(q: np.ndarray, qd: np.ndarray, counts: Mapping[str, int]) -> tuple[np.ndarray, np.ndarray]:
    """Return a state for each motion; `counts` are for how many others are given. Raises InputError."""
    q, qd = np.atleast_2d(q), np.atleast_2d(qd)
    counts = {**counts, "q0 and qd0": len(q)}
    most = max(counts.values())
    for name, count in counts.items():
        if count not in (1, most):
            other = next(n for n, c in counts.items() if c == most)
            verb = "is" if other == "tau" else "are"
            raise InputError(
                f"{other} {verb} for {most} motions, {name} for {count}", fix="give as many of both, or one"
            )
    return (q, qd) if len(q) == most else (np.tile(q, (most, 1)), np.tile(qd, (most, 1)))


def _check_kept(count: int, steps: int, every: Any, model: Model) -> None:
    """Raise InputError where states cannot be kept so often."""
    if steps % validate_count("every", every):
        raise InputError(f"every = {every!r} does not divide {steps} steps", fix="give a whole number that does")
    numbers = count * (steps // every + 1) * (3 * model.nv + 1)
    if numbers > MOST:
        raise InputError(
            f"{count} motions of {steps} steps are {8e-9 * numbers:.3g} GB",
            why=f"more than {8e-9 * MOST:g} GB of states and torques",
            fix="keep fewer of them by every=, or make several calls",
        )


def _submit_parts(
    executor: Executor,
    parts: int | None,
    task: Callable[..., StepStates],
    start: tuple[np.ndarray, np.ndarray],
    control: Control,
    carried: np.ndarray | None,
    contacts: ContactInputs | None,
) -> list[Future[StepStates]]:
    """Let an executor take parts of the motions: a task of states and torques."""
    if not callable(getattr(executor, "submit", None)):
        raise InputError(
            f"executor: expected an Executor of concurrent.futures, got {type(executor).__name__}",
            fix="give a ProcessPoolExecutor(4), or client.get_executor() of Dask",
        )
    count, parts = len(start[0]), None if parts is None else validate_count("parts", parts)
    edges = np.linspace(0, count, min(count, parts or -(-count // PART)) + 1).astype(int)
    tasks = []
    for first, last in pairwise(edges):
        here = slice(first, last)
        own = select_motions(control, here)
        fixed = carried if carried is None or len(carried) == 1 else carried[here]
        touching = contacts and contacts.select(here)
        tasks.append(executor.submit(task, tuple(x[here] for x in start), own, fixed, touching))
    return tasks
