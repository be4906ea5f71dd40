"""A controller in a closed loop with simulations: references that stay or vary with time, and what it did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from math import prod
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import validate_numbers
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Function,
    compile_expression,
    make_numbered_argument,
)
from screwgraph.model.model import Model
from screwgraph.motion.control.barriers import Barrier
from screwgraph.motion.control.contacts import HeldContact
from screwgraph.motion.control.controller import (
    RATES,
    controller,
    hold_contacts,
    stack_barriers,
    stack_contacts,
    stack_gains,
)
from screwgraph.motion.control.limits import ControlLimits, list_limits
from screwgraph.motion.control.live_numbers import have_sense
from screwgraph.motion.control.models import ControlledModel, as_controlled
from screwgraph.motion.control.reduced_motion import ReducedMotion
from screwgraph.motion.control.tasks import ControlTask
from screwgraph.motion.simulation import Trajectory
from screwgraph.motion.simulation.contacts import Contact, ContactInputs, Ground, bend_start, make_contacts, raise_start
from screwgraph.spatial import finite_vector

STATUSES = ("solved", "limits or feet relaxed", "the most passages", "no numbers")


@dataclass(frozen=True)
class ControlReport:
    """Report of a controller along a motion of N states.

    `errors` are lengths (N,) of tasks' errors (rad, m); `statuses` counts of states; `active` the share of states at
    which a limit or contact's cone was active, by name, where it was at all; `margins` how near efforts, positions and
    velocities came to their limits, 1 far and 0 there, the least of all joints (N,).
    """

    __repr__ = one_line

    errors: Mapping[str, Float[np.ndarray, " N"]]
    statuses: Mapping[str, int]
    active: Mapping[str, float]
    margins: Mapping[str, Float[np.ndarray, " N"]]

    def __str__(self) -> str:
        """Return a line for each."""
        lines = [f"error of {name}: largest {x.max():.3g}, at the end {x[-1]:.3g}" for name, x in self.errors.items()]
        lines.append("states: " + ", ".join(f"{count} {name}" for name, count in self.statuses.items()))
        lines += [f"active: {name}, {100.0 * share:.3g} %" for name, share in self.active.items()]
        lines += [f"least margin of {name}: {x.min():.3g}" for name, x in self.margins.items()]
        return "\n".join(lines)


@dataclass(frozen=True, eq=False)
class ControlLoop:
    """A controller as torques (nv,) of a time (s) and a state: what `sg.simulate` takes as `controller`.

    References stay what they are at `q0` unless they are given: arrays, or functions of time (s), by the names of the
    function's arguments. What no position says, such as a ball's centre or a contact's force, has to be given.
    Each call is alone, without active rows of another.

    Args:
        model: as for `controller`.
        tasks: what it follows.
        contacts: points and soles that are on all the time; a simulation has their points and corners.
        ground: the plane on which they stand.
        limits: as for `controller`.
        barriers: as for `controller`.
        q0: position (nq,) at which references begin, by default the neutral one; `raised()` has one above the ground.
        references: those that do not stay.
        actuated: as for `controller`.
    """

    __repr__ = one_line

    model: Model
    tasks: Sequence[ControlTask]
    contacts: Sequence[Contact | HeldContact] = ()
    ground: Ground | None = None
    limits: ControlLimits | None = None
    barriers: Sequence[Barrier] = ()
    q0: Any = None
    references: Mapping[str, Any] | None = None
    actuated: Sequence[str] | None = None

    def __post_init__(self) -> None:
        known = [a.name for a in self.function.arguments]
        for name in self.references or {}:
            if name not in known[2:]:
                raise InputError(f"the controller has no argument {name!r}", fix=f"one of {', '.join(known[2:])}")
        check_references(self.tasks, {k: x for k, x in self._given_values.items() if not callable(x)})
        own = self._natural_values | self._given_values
        missing = [name for name in known[2:-1] if name not in own and not name.endswith(RATES)]
        if missing:
            raise InputError(
                f"the controller has no value of {missing[0]!r}",
                why="no position of the robot says what it is",
                fix="give it among references: numbers, or in Python a function of time",
            )

    @cached_property
    def function(self) -> Function:
        """The controller."""
        return controller(
            self.model,
            self.tasks,
            contacts=self.contacts,
            ground=self.ground,
            limits=self.limits,
            barriers=self.barriers,
            actuated=self.actuated,
        )

    @cached_property
    def controlled_model(self) -> ControlledModel:
        """The model with its motors."""
        return as_controlled(as_controlled(self.model).with_motors(self.actuated))

    @property
    def points(self) -> list[Contact]:
        """Contacts as a simulation has them."""
        found = list[Contact]()
        for contact in self.contacts:
            found += contact.corners if isinstance(contact, HeldContact) else [contact]
        return found

    def raised(self) -> ControlLoop:
        """Return the loop with references that begin within joints' ranges, above the ground, if nothing says where."""
        if self.q0 is not None:
            return self
        bent = bend_start(self.model, self.points)
        if not self.contacts:
            return self if (bent == self.model.neutral()).all() else replace(self, q0=bent)
        points, ground = make_contacts(self.model, self.points, self.ground)
        return replace(self, q0=raise_start(self.model, ContactInputs.of(self.model, points, ground), bent))

    @cached_property
    def _argument_values(self) -> dict[str, Any]:
        """Arguments that do not vary, and functions of time; rates and active rows are zero."""
        found = {a.name: np.zeros(a.shape) for a in self.function.arguments[2:]}
        return found | self._natural_values | self._given_values

    @cached_property
    def _given_values(self) -> dict[str, Any]:
        """References that are given: arrays as arguments have them, and functions of time."""
        shapes = {a.name: a.shape for a in self.function.arguments}
        given = dict(self.references or {})
        return {k: x if callable(x) else shape_reference(k, x, shapes[k]) for k, x in given.items()}

    @cached_property
    def _natural_values(self) -> dict[str, Any]:
        """Arguments with which the robot stays at its first position."""
        model, found = self.model, dict[str, Any]()
        q0 = model.neutral() if self.q0 is None else finite_vector(self.q0, model.nq, "q0", "it has all positions")
        for task in self.tasks:
            found |= task.hold(model, q0)
        found["gains"] = stack_gains(self.tasks)
        if self.contacts:
            found["contacts"] = stack_contacts(self.contacts)
        if self.barriers:
            found["barriers"] = stack_barriers(self.barriers)
        return found

    def arguments(self, t: float) -> dict[str, Any]:
        """Return the arguments after q and qd at a time (s)."""
        return {name: x(t) if callable(x) else x for name, x in self._argument_values.items()}

    def __call__(self, t: float, q: Float[np.ndarray, " nq"], qd: Float[np.ndarray, " nv"]) -> Float[np.ndarray, " nv"]:
        """Return the efforts of all coordinates that motors cause."""
        return self.controlled_model.push(q, self.function(q, qd, **self.arguments(t))[0])

    def report(self, motion: Trajectory) -> ControlReport:
        """Return errors of tasks, active rows and margins along a motion of the robot."""
        names, given = self._name_rows(), [self.arguments(float(t)) for t in motion.t]
        stacked: dict[str, Any] = {name: np.array([own[name] for own in given]) for name in given[0]}
        tau, *_, rows, solution = self.function(motion.q, motion.qd, **stacked)
        errors = dict[str, Float[np.ndarray, " N"]]()
        for task in self.tasks:
            if task.follows:
                references = (stacked[name] for name in task.references(self.model))
                missed = self._compile_errors(task)(motion.q, motion.qd, *references)
                errors[task.name] = np.linalg.norm(missed, axis=-1)
        counts = np.bincount(solution[:, 0].astype(int), minlength=len(STATUSES))
        shares = dict[str, float]()
        for name, share in zip(names, (np.abs(rows[:, : len(names)]) > 0.5).mean(axis=0), strict=True):
            shares[name] = max(shares.get(name, 0.0), float(share))
        return ControlReport(
            errors,
            {name: int(count) for name, count in zip(STATUSES, counts, strict=True) if count},
            {name: share for name, share in shares.items() if share},
            self._measure_margins(motion, tau),
        )

    def _compile_errors(self, task: ControlTask) -> Function:
        """Return the errors of a task as a function of q, qd and its references."""
        model = self.model

        def errors(q: Any, qd: Any, *references: Any) -> list[Any]:
            return [row.error for row in task.rows(model, q, qd, *references)]

        own = (make_numbered_argument(name, *shape) for name, shape in task.references(model).items())
        arguments = (*self.controlled_model.arguments, *own)
        question = self.controlled_model.question, task.structure
        return compile_expression("control_errors", question, arguments, errors, branches=True)

    def _name_rows(self) -> list[str]:
        """Return names of rows of limits, in their order."""
        model, limits = self.controlled_model.model, self.limits or ControlLimits()
        held, plane = hold_contacts(model, self.contacts, self.ground)
        own = ReducedMotion(model, held, plane)
        return [name for limit in list_limits(limits) for name in limit.name_rows(own, limits)]

    def _measure_margins(
        self, motion: Trajectory, tau: Float[np.ndarray, "N motors"]
    ) -> dict[str, Float[np.ndarray, " N"]]:
        limits, found = self.limits or ControlLimits(), dict[str, Float[np.ndarray, " N"]]()
        lower, upper = np.reshape(limits.bound_efforts(self.controlled_model.motors), (-1, 2)).T
        ranges = self.controlled_model.ranges
        at, along = ([getattr(own, name) for own in ranges] for name in ("at", "along"))
        low, up, fast = (np.array([getattr(own, name) for own in ranges]) for name in ("lower", "upper", "velocity"))
        q, qd = motion.q[:, at], motion.qd[:, along]
        pairs = {
            "efforts": (np.minimum(tau - lower, upper - tau), 0.5 * (upper - lower)),
            "positions": (np.minimum(q - low, up - q), 0.5 * (up - low)),
            "velocities": (fast - np.abs(qd), fast),
        }
        for name, (left, size) in pairs.items():
            counts = np.isfinite(size) & (size > 0.0)
            if counts.any():
                found[name] = (left[:, counts] / size[counts]).min(axis=1)
        return found


def shape_reference(name: str, value: Any, shape: tuple[int, ...]) -> Float[np.ndarray, "..."]:
    """Return a reference as the argument of its name has it. Raises InputError: it has other numbers."""
    found = validate_numbers(name, value)
    if not np.isfinite(found).all():
        raise InputError(f"{name} is not finite", why="no torques follow from that")
    if found.size != prod(shape):
        raise InputError(f"{name} has {found.size} numbers", why=f"it has the shape {shape}")
    return found.reshape(shape)


def check_references(tasks: Sequence[ControlTask], given: Mapping[str, Any]) -> None:
    """Raise InputError where the reference of a task, among those that are given, is no direction or no rotation."""
    for task in tasks:
        if task.name in given and not have_sense((), (), task.list_identities(given[task.name])):
            raise InputError(
                f"{task.name} is {np.array2string(np.asarray(given[task.name]), separator=', ')}",
                why="directions have length 1, columns of rotations too, at right angles and right-handed",
            )
