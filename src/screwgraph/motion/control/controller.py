"""Controllers of whole bodies: from a state and references to torques, by a small quadratic program in one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.progress_report import report_progress
from screwgraph.compiler import CachedCode, Function, make_direct_provenance, make_function, set_nominal
from screwgraph.model.model import Model
from screwgraph.model.robot import Robot
from screwgraph.motion.control.barriers import Barrier
from screwgraph.motion.control.contacts import HeldContact, PointContact
from screwgraph.motion.control.controller_examples import draw_examples
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.models import as_controlled
from screwgraph.motion.control.stiff_dampers import damp_implicitly
from screwgraph.motion.control.tasks import ControlTask
from screwgraph.motion.control.whole_body import WholeBody
from screwgraph.motion.simulation.contacts import Contact, Ground, Plane, make_contacts

TAKEN = ("q", "qd", "gains", "contacts", "barriers", "active")
"""Names of arguments that are no references."""
RATES = "_rates"
"""Ends the names of rates of references."""
FAST = 0.02
"""Part of a velocity that a damper takes in the time of a command, from which it acts with that at its end."""


@check_arguments
def controller(
    model: Model,
    tasks: Sequence[ControlTask],
    *,
    contacts: Sequence[Contact | HeldContact] = (),
    ground: Ground | None = None,
    limits: ControlLimits | None = None,
    barriers: Sequence[Barrier] = (),
    actuated: Sequence[str] | None = None,
    dtype: str = "float64",
) -> Function:
    """Return a controller of a model: from its state, references, gains and contacts to efforts.

    It takes the accelerations that miss those of the tasks least, in weighted squares, among those that efforts can
    make, feet without slip, within the limits: Del Prete and Saab et al. (2013), "Dynamic whole-body motion
    generation". The equations of motion are solved symbolically; a quadratic program of few unknowns is left, and is
    part of the code. There is always a command: rows that contradict each other give way by `PRIORITIES`.

    Arguments of the function are q (nq,) and qd (nv,); of each task its reference and, with `_rates`, first and second
    rates of it (2, k); of barriers what they are of, such as a ball's centre, with its rates; `gains` (tasks, 3):
    stiffness, damping, weight, as `stack_gains` has them; `contacts` (contacts, 2): 1 where a foot is on the ground,
    else 0, and Coulomb's coefficient (`stack_contacts`); `barriers` (barriers, 2): rate and margin (`stack_barriers`);
    `active`: that of the last call, first zeros.

    Results are `tau` (N m, N), efforts of the motors: of actuators where the robot has some, else of its independent
    joints but for a floating base; `qdd` of all joints, over the time of a command where a damper takes a fiftieth of a
    velocity in it, or more; `forces` (contacts, 3) (N) on the robot, in the base's axes, and where there are soles,
    `moments` (contacts, 3) (N m) about their centres; `active`; `solution`: a status (0 solved, 1 limits relaxed, or a
    foot of a straight leg moves though it is held, 2 the most passages, 3 a state, weight or reference without sense,
    or a singular position: no torques), passages, and the largest violation in units of bounds, of feet in units of
    accelerations of limits.

    Args:
        model: a robot that stands or floats, or a mechanism with motors. Of closed chains and mechanisms, states are
            those of all joints or coordinates, loops closed; mechanisms have no contacts.
        tasks: what it follows.
        contacts: points, balls (`sg.Contact`, of whose law only friction counts), soles (`sg.control.Sole`) and
            points that glide (`sg.control.GlidingPoint`) or stand on legs of two joints (`sg.control.PlanarPoint`),
            each on as many joints of its own as its force has components: three, six, one, or two.
        ground: the plane on which feet stand.
        limits: joints' limits that are kept; by default those of the robot's file, at 1 kHz.
        barriers: what stays positive whatever the tasks are: distances, or functions of one's own.
        actuated: names of the motors, in the place of those: actuators, or joints. Where they are more or fewer than
            the coordinates that they move, the robot has no contacts; of more, those with the least squares are taken.
        dtype: "float64", or "float32".

    Raises:
        InputError: the robot has no motors, or such as contacts do not go with; a law of force is not linear; two
            tasks have one reference, arguments one name, or a foot is on no leg.
        EliminationError: only a part of a joint is independent.
    """
    model = as_controlled(model).with_motors(actuated)
    held, plane = hold_contacts(model, contacts, ground)
    limits = limits or ControlLimits()
    model = damp_implicitly(model, limits.dt, part=FAST) if isinstance(model, Robot) else model
    own = WholeBody(model, check_tasks(tasks, held), held, plane, limits, tuple(barriers))
    if not own.unknowns:
        raise InputError(f"a controller of {model.name!r}", why="no joint of it has a motor")
    check_names(model, own.tasks, own.barriers)
    values = {
        "gains": stack_gains(own.tasks),
        "contacts": stack_contacts(contacts) if contacts else (),
        "barriers": stack_barriers(barriers),
        **{name: value for task in own.tasks for name, value in task.constants.items()},
        **{a.name: np.zeros(a.shape) for a in own.given if a.name.endswith(RATES)},
    }
    arguments, results = set_nominal(own.arguments, values), own.results

    def make(_: Any) -> CachedCode:
        report_progress("writing the program of a tick")
        return CachedCode(own.routine(), "none")

    question = ("controller", *own.question)
    made = make_function(
        "controller",
        question,
        arguments,
        make,
        lambda _: make_direct_provenance("it is the code of a controller"),
        results,
        quietly=True,
    )
    made = made.astype(dtype)
    return replace(made, origin=replace(made.origin, examples=lambda: draw_examples(made, own)))


@check_arguments
def stack_gains(tasks: Sequence[ControlTask]) -> Float[np.ndarray, "tasks 3"]:
    """Return the gains of tasks as a controller takes them: stiffness (1/s^2), damping (1/s), weight."""
    return np.array([task.gains for task in tasks]).reshape(-1, 3)


@check_arguments
def stack_contacts(contacts: Sequence[Contact | HeldContact]) -> Float[np.ndarray, "*B contacts 2"]:
    """Return contacts as a controller takes them: all are on, with their friction."""
    frictions = np.broadcast_arrays(*(np.asarray(contact.friction, dtype=float) for contact in contacts))
    return np.stack([np.stack([np.ones_like(mu), mu], axis=-1) for mu in frictions], axis=-2)


@check_arguments
def stack_barriers(barriers: Sequence[Barrier]) -> Float[np.ndarray, "barriers 2"]:
    """Return barriers as a controller takes them: rate (1/s) and margin."""
    return np.array([(barrier.rate, barrier.margin) for barrier in barriers]).reshape(-1, 2)


def check_tasks(tasks: Sequence[ControlTask], contacts: Sequence[HeldContact]) -> tuple[ControlTask, ...]:
    """Return the tasks. Raises InputError where there are none, or a force is of no contact."""
    frames, tasks = [contact.frame for contact in contacts], tuple(tasks)
    for task in tasks:
        if not isinstance(task, ControlTask):
            raise InputError(f"tasks: expected a task, got {describe_value(task)}", fix="sg.control.PostureTask()")
        task.check_contacts(frames)
    if not tasks:
        raise InputError("a controller without tasks", fix="tasks=[sg.control.PostureTask()]")
    return tasks


def check_names(model: Model, tasks: Sequence[ControlTask], barriers: Sequence[Barrier]) -> dict[str, tuple[int, ...]]:
    """Return the shapes of the arguments of tasks and barriers, by name.

    Barriers may share an argument: one ball.

    Raises:
        InputError: an argument has the name of another one, or one that is no name, or tasks have one name.
    """
    found, names = dict[str, tuple[int, ...]](), set[str]()
    for task in tasks:
        if task.name in names:
            raise InputError(
                f"two tasks are called {task.name!r}",
                why="their references would have one name",
                fix=f"give one of them another name, such as {task.name}_2",
            )
        names.add(task.name)
        own = task.references(model)
        for name in own:
            # Frames may have any name, and their tasks are called by it.
            _check_name(name, "task", task.name, name in found, is_free=task.name == task.usual_name)
        found |= own
    taken = set(found)
    for barrier in barriers:
        for name, shape in barrier.list_arguments(model).items():
            _check_name(name, "barrier", barrier.name, name in taken or found.setdefault(name, shape) != shape)
    return found


def _check_name(name: str, kind: str, owner: str, is_taken: bool, *, is_free: bool = False) -> None:
    """Raise InputError where an argument's name is taken, or is no identifier and not free to be none."""
    what = f"an argument of {kind} {owner!r} is called {name!r}"
    if is_taken or name in TAKEN:
        raise InputError(what, why="another one is, too", fix=f"another name, such as {name}_of_{kind}")
    if not is_free and not (name.isidentifier() and name.isascii()):
        raise InputError(what, why="names are letters, digits and _, and begin with no digit")


def hold_contacts(
    model: Model, contacts: Sequence[Contact | HeldContact], ground: Ground | None
) -> tuple[tuple[HeldContact, ...], Plane]:
    """Return contacts as controllers hold them, and the plane on which they stand.

    Raises:
        InputError: a contact is of no frame, with another body, or on ground that is no plane.
    """
    given = tuple(contacts)
    if given and not model.has_frames:
        raise InputError(f"a controller of {model.name!r} with contacts", why="feet are those of robots")
    points = [contact for contact in given if not isinstance(contact, HeldContact)]
    if given and not points:
        plane = Plane() if ground is None else ground
    else:
        _, plane = make_contacts(model, points, ground)
    for point in points:
        if point.against is not None:
            raise InputError(f"the contact of {point.frame!r} is with another body", why="feet stand on a plane")
        if point.shape is not None:
            raise InputError(f"the contact of {point.frame!r} has a shape", why="feet are points or balls")
    if not isinstance(plane, Plane):
        raise InputError(f"the ground of a controller is {describe_value(plane)}", why="its feet stand on a plane")
    held = [
        contact
        if isinstance(contact, HeldContact)
        else PointContact(contact.frame, contact.radius, contact.at, contact.friction)
        for contact in given
    ]
    for contact in held:
        as_controlled(model).find_link(contact.frame)
    return tuple(held), plane
