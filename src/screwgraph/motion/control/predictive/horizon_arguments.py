"""Arguments of a predictive controller: references, weights, schedules of contacts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.compiler import Argument, Function, check_unit, quaternion_places
from screwgraph.model import Model
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.models.robot import ControlledRobot
from screwgraph.motion.control.predictive.motors import choose_motors
from screwgraph.motion.control.predictive.named_values import Values, expand_values, list_in_order
from screwgraph.motion.control.predictive.stage_model import StageModel
from screwgraph.motion.control.predictive.state_coordinates import make_states
from screwgraph.motion.simulation.contacts import Contact


def describe_arguments(model: StageModel) -> dict[str, str]:
    """Return what numbers of references and weights are, in their order, by the names of the arguments."""
    states = f"positions and velocities of {list_in_order(model.robot.v_slices)}"
    if model.commands_efforts:
        inputs, options = f"efforts of {list_in_order(model.motors.names)}", "the same actuated="
        weighed = inputs
    else:
        inputs, options = f"{model.nu} inputs", "force= and acceleration="
        weighed = f"{model.nu} forces, {model.nu} accelerations"
    return {
        "references": f"{states}, {inputs} (stack_references)",
        "weights": f"weights of {states}, {weighed} (stack_weights with {options})",
    }


@check_arguments
def stack_weights(
    model: Model,
    *,
    position: Values = 1.0,
    velocity: Values = 0.1,
    effort: Values | None = None,
    force: float | Sequence[float] | np.ndarray | None = None,
    acceleration: float | Sequence[float] | np.ndarray | None = None,
    actuated: Sequence[str] | None = None,
) -> Float[np.ndarray, " k"]:
    """Return the weights of squares as `mpc` takes them: of positions, velocities, efforts of motors.

    Each is one number for all, one each, or some by the names of joints (efforts of actuators by theirs), others zero;
    closed chains and mechanisms have those of independent coordinates. A robot on contacts has `force` (1/N^2) and
    `acceleration` (s^4/rad^2) in the place of efforts, one number for all or one an input. By default an effort has
    1e-3, a force 1e-5, an acceleration 1e-5.

    Raises:
        InputError: a joint is unknown, a weight is negative, or an input has none.
    """
    robot = make_states(model).joints
    none = np.zeros(robot.nv)
    given = (("position", position), ("velocity", velocity))
    found = {name: expand_values(robot.v_slices, x, none, name) for name, x in given}
    if force is None and acceleration is None:
        found["effort"] = choose_motors(model, actuated).expand(1e-3 if effort is None else effort, 0.0, "effort")
    elif effort is not None or actuated is not None:
        raise InputError("weights of efforts and of forces", why="inputs of a robot on contacts are no efforts")
    else:
        own = set(ControlledRobot(robot).list_velocities(()))
        joints = {joint: place for joint, place in robot.v_slices.items() if place.start in own}
        count = len(own)
        for name, value in (("force", force), ("acceleration", acceleration)):
            given = validate_numbers(name, 1e-5 if value is None else value)
            if given.shape not in ((), (count,)):
                raise InputError(
                    f"{name} of the shape {given.shape}",
                    why=f"inputs are as many as velocities of {list_in_order(joints)}",
                    fix=f"give a number, or ({count},)",
                )
            found[name] = np.broadcast_to(given, count)
    for name, values in found.items():
        if not (np.all(values >= 0.0) and np.isfinite(values).all()):
            raise InputError(f"weights of {name}: {values}", why="they must be finite, from 0 on")
    for name in ("effort", "force", "acceleration"):
        if not np.all(found.get(name, np.ones(1)) > 0.0):
            which = f"an {name}" if name != "force" else "a force"
            raise InputError(
                f"{which} has the weight 0", why="what costs nothing is not determined", fix=f"{name}=1e-6"
            )
    return np.concatenate(list(found.values()))


@check_arguments
def stack_schedule(
    control: Function, contacts: Sequence[Contact | HeldContact], on: Any = True
) -> Float[np.ndarray, "N contacts 2"]:
    """Return a schedule of contacts as a controller of `mpc` takes it: their friction, and where they are on.

    `on` is one for all, (contacts,), or (N, contacts), one a stage: true, or 1, where a contact is on.

    Raises:
        InputError: shapes do not fit, or a value is neither 0 nor 1.
    """
    shape, flags = find_argument(control, "contacts").shape[:2], np.asarray(on, dtype=float)
    if len(contacts) != shape[1]:
        raise InputError(f"{len(contacts)} contacts", why=f"the controller has {shape[1]}")
    if flags.shape not in ((), shape[1:], shape):
        raise InputError(f"on of the shape {flags.shape}", fix=f"give ({shape[1]},), or {shape}")
    flags = np.broadcast_to(flags, shape)
    if not np.isin(flags, (0.0, 1.0)).all():
        raise InputError("on has other numbers than 0 and 1", why="a contact is on at a stage, or off")
    friction = np.array([float(np.asarray(contact.friction)) for contact in contacts])
    return np.stack([flags, np.broadcast_to(friction, shape)], axis=-1)


@check_arguments
def stack_references(
    control: Function, position: Any, velocity: Any = 0.0, effort: Any = 0.0
) -> Float[np.ndarray, "N+1 nq+nv+m"]:
    """Return references as a controller of `mpc` takes them: one for all instants of the horizon, or one for each.

    `effort` are those of inputs: of a robot on contacts, forces beyond equal shares of the weight, or accelerations.
    Efforts that hold the robot at the reference, `bias_forces(robot)(position, 0)`, let it stand there exactly.

    Raises:
        InputError: shapes do not fit, a number is none, or a quaternion is not unit.
    """
    whole = find_argument(control, "references")
    (count, nz), (nq, n) = whole.shape, (len(x.names) for x in control.arguments[:2])
    found, sizes = np.zeros((count, nz)), {"position": nq, "velocity": n, "effort": nz - nq - n}
    start = 0
    for (name, size), values in zip(sizes.items(), (position, velocity, effort), strict=True):
        given = validate_numbers(name, values)
        if given.shape not in ((), (size,), (count, size)):
            raise InputError(
                f"{name} of the shape {given.shape}",
                why=f"they are {whole.about}",
                fix=f"give ({size},), or ({count}, {size})",
            )
        found[:, start : start + size] = given
        if not np.isfinite(found).all():
            raise InputError(f"references of {name}", why="there are numbers that are not finite")
        start += size
    of_position = replace(control.arguments[0], name="position")
    check_unit([of_position], quaternion_places([of_position]), [found[:, :nq]])
    return found


@check_arguments
def find_first_interval(t: float, dt: float, rate: float) -> float:
    """Return the time (s) from t to the next instant k dt that is at least half a call away, of `rate` calls a second.

    Raises:
        InputError: a number is not finite, or dt or the rate not positive.
    """
    if not (np.isfinite(t) and 0.0 < dt < np.inf and 0.0 < rate < np.inf):
        raise InputError(f"t = {t!r}, dt = {dt!r}, rate = {rate!r}", why="they must be finite, dt and rate positive")
    k = np.ceil((t + 0.5 / rate) / dt)
    return float(min(k * dt - t, dt))


def find_argument(control: Function, name: str) -> Argument:
    """Return an argument of a controller of `mpc` by its name. Raises InputError."""
    found = [argument for argument in control.arguments if argument.name == name]
    if not found or "advance" not in [argument.name for argument in control.arguments]:
        raise InputError(f"{control.name} is not a controller of sg.mpc", fix="control = sg.mpc(robot, ...)")
    return found[0]
