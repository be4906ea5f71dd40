"""Controllers of whole bodies: from a state and references to torques, by a small quadratic program in one function."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import chain
from math import prod
from typing import Any, NoReturn

import numpy as np
from jaxtyping import Float

from screwgraph.base.argument_checks import check_arguments, describe_value
from screwgraph.base.errors import InputError
from screwgraph.base.summary import one_line
from screwgraph.compiler import (
    Argument,
    CachedCode,
    Function,
    Provenance,
    Result,
    compile_expression,
    make_function,
    make_numbered_argument,
    robot_arguments,
    without_metadata,
)
from screwgraph.graph import Key
from screwgraph.model.robot import Robot
from screwgraph.motion.control.limits import ControlLimits
from screwgraph.motion.control.reduced_motion import Affine, Motion, ReducedMotion, combine_affine, scale_affine
from screwgraph.motion.control.tasks import ControlTask
from screwgraph.motion.simulation.contacts import Contact, Ground, Plane, make_contacts
from screwgraph.optimize.active_set import QuadraticProgram
from screwgraph.spatial import choose, maximum, minimum
from screwgraph.tape import Memory, Number, Program, Routine, dot
from screwgraph.tape.sparse_rows import add_entry

TASK_REST, FORCE_REST = 1e-6, 1e-4
"""Weights of squares of accelerations (rad/s^2, m/s^2), and of forces by the robot's mass (m/s^2), beside tasks'."""
PRIORITIES = {"effort": 1e9, "friction": 1e8, "motion": 1e7}
"""Largest multipliers of rows, whose units are their bounds: what cannot be kept gives way, the last one first."""
FREE = 1e9
"""Bound of a row that has none, in units of rows."""
DRAG = 50.0
"""Rate (1/s) at which feet on the ground stop gliding."""
ROUND = 1.0 / np.sqrt(2.0)
"""Friction along each tangent, of Coulomb's: a pyramid in the round cone."""
MOST = 10
"""Passages of the active set at most, for each unknown and each row."""


@check_arguments
def controller(
    robot: Robot,
    tasks: Sequence[ControlTask],
    *,
    contacts: Sequence[Contact] = (),
    ground: Ground | None = None,
    limits: ControlLimits | None = None,
    dtype: str = "float64",
) -> Function:
    """Return a controller (q, qd, references, gains, contacts, active) -> (tau, qdd, forces, active, solution).

    It takes the accelerations that miss those of the tasks least, in weighted squares, among those that efforts can
    make, feet without slip, within the limits: Del Prete and Saab et al. (2013), "Dynamic whole-body motion
    generation". The equations of motion are solved symbolically; a quadratic program of few unknowns is left, and is
    part of the code. There is always a command: rows that contradict each other give way by `PRIORITIES`.

    Arguments of the function, after q (nq,) and qd (nv,): of each task its reference and, with `_rates`, first and
    second rates of it (2, k); `gains` (tasks, 3): stiffness, damping, weight, as `stack_gains` has them; `contacts`
    (contacts, 2): 1 where a foot is on the ground, else 0, and Coulomb's coefficient (`stack_contacts`); `active`: that
    of the last call, first zeros. `tau` (N m, N) are efforts of all coordinates but a floating base's; `forces`
    (contacts, 3) (N) act on the robot, in the base's axes; `solution` is a status (0 solved, 1 limits relaxed, 2 the
    most passages, 3 state without sense: no torques), passages, and the largest violation in units of bounds.

    Args:
        robot: a tree that stands or floats.
        tasks: what it follows.
        contacts: feet, each on three joints of its own; of their laws, only friction counts.
        ground: the plane on which feet stand.
        limits: joints' limits that are kept; by default those of the robot's file, at 1 kHz.
        dtype: "float64", or "float32".

    Raises:
        InputError: the robot has loops, couplings or no motors, two tasks have one reference, or a foot is on no leg.
    """
    checked = _check_robot(robot), _check_tasks(tasks)
    own = WholeBody(*checked, *_check_feet(robot, contacts, ground), limits or ControlLimits())
    if not own.unknowns:
        raise InputError(f"a controller of {robot.name!r}", why="no joint of it has a motor")
    arguments, results = own.arguments, own.results

    def make(_: Any) -> CachedCode:
        return CachedCode(own.routine(), "none")

    question = ("controller", *own.question)
    made = make_function(
        "controller", question, arguments, make, lambda _: Provenance(_refuse, dict), results, quietly=True
    )
    return made.astype(dtype)


def stack_gains(tasks: Sequence[ControlTask]) -> Float[np.ndarray, "tasks 3"]:
    """Return the gains of tasks as a controller takes them: stiffness (1/s^2), damping (1/s), weight."""
    return np.array([task.gains for task in tasks]).reshape(-1, 3)


def stack_contacts(contacts: Sequence[Contact]) -> Float[np.ndarray, "*B contacts 2"]:
    """Return contacts as a controller takes them: all are on, with their friction."""
    frictions = np.broadcast_arrays(*(np.asarray(contact.friction, dtype=float) for contact in contacts))
    return np.stack([np.stack([np.ones_like(mu), mu], axis=-1) for mu in frictions], axis=-2)


def _refuse() -> NoReturn:
    raise InputError("this function was not made by elimination", why="it is the code of a controller")


def _check_robot(robot: Robot) -> Robot:
    if robot.is_closed:
        raise InputError(
            f"a controller of {robot.name!r}, which has loops or couplings",
            why="its unknowns are those of trees",
            fix="sg.load(file, lock=...) welds joints, as of grippers",
        )
    return robot


def _check_tasks(tasks: Sequence[ControlTask]) -> tuple[ControlTask, ...]:
    for task in tasks:
        if not isinstance(task, ControlTask):
            raise InputError(f"tasks: expected a task, got {describe_value(task)}", fix="sg.control.PostureTask()")
    names = [task.name for task in tasks]
    if not tasks:
        raise InputError("a controller without tasks", fix="tasks=[sg.control.PostureTask()]")
    for name in names:
        if names.count(name) > 1:
            raise InputError(f"two tasks are called {name!r}", why="their references would have one name")
    return tuple(tasks)


def _check_feet(robot: Robot, contacts: Sequence[Contact], ground: Ground | None) -> tuple[tuple[Contact, ...], Plane]:
    found, plane = make_contacts(robot, contacts, ground)
    for contact in found:
        if contact.against is not None:
            raise InputError(f"the contact of {contact.frame!r} is with another body", why="feet stand on a plane")
    if not isinstance(plane, Plane):
        raise InputError(f"the ground of a controller is {describe_value(plane)}", why="its feet stand on a plane")
    return found, plane


@dataclass(frozen=True, eq=False)
class WholeBody:
    """A robot with tasks, contacts and limits, and the code of its controller."""

    __repr__ = one_line

    robot: Robot
    tasks: tuple[ControlTask, ...]
    contacts: tuple[Contact, ...]
    ground: Plane
    limits: ControlLimits

    @property
    def question(self) -> tuple[object, ...]:
        """The part of the options that code depends on: not numbers that are arguments."""
        own = self.robot.limits
        tasks = tuple(replace(task, stiffness=0.0, damping=0.0, weight=0.0) for task in self.tasks)
        feet = tuple((contact.frame, contact.radius, contact.at) for contact in self.contacts)
        bounds = tuple(tuple(map(float, x)) for x in (own.lower, own.upper, own.velocity, own.effort))
        return without_metadata(self.robot), tasks, feet, self.ground, self.limits, bounds

    @cached_property
    def motion(self) -> ReducedMotion:
        """The equations of motion."""
        return ReducedMotion(self.robot, self.contacts, self.ground)

    @property
    def unknowns(self) -> int:
        """How many there are."""
        return len(self.motion.driven)

    @cached_property
    def efforts(self) -> list[tuple[int, float]]:
        """Limits of efforts: the place of each among those of the joints (N m, N)."""
        largest = self.robot.limits.effort
        pairs = [(k, float(largest[i])) for k, i in enumerate(self.motion.driven)]
        return [(k, x) for k, x in pairs if self.limits.effort and np.isfinite(x)]

    @property
    def rows(self) -> int:
        """How many rows the quadratic program has, one at least."""
        return max(1, len(self.efforts) + len(list(self.limits.list_bounds(self.robot))) + 5 * len(self.contacts))

    @cached_property
    def given(self) -> tuple[Argument, ...]:
        """Arguments but for the last solution."""
        robot, k = self.robot, len(self.contacts)
        names = [("q", [Key("q", j) for j in robot.joint_names]), ("qd", [Key("qd", j) for j in robot.joint_names])]
        shapes = dict(chain.from_iterable(task.references(robot).items() for task in self.tasks))
        shapes["gains"] = (len(self.tasks), 3)
        shapes |= {"contacts": (k, 2)} if k else {}
        return (*robot_arguments(robot, names), *(make_numbered_argument(name, *s) for name, s in shapes.items()))

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """Arguments of the function."""
        return (*self.given, make_numbered_argument("active", self.rows))

    @property
    def results(self) -> tuple[Result, ...]:
        """Results of the function."""
        k = len(self.contacts)
        forces = (Result("forces", (k, 3)),) if k else ()
        ends = (Result("active", (self.rows,)), Result("solution", (3,)))
        return Result("tau", (self.unknowns,)), Result("qdd", (self.robot.nv,)), *forces, *ends

    @property
    def shapes(self) -> dict[str, tuple[int, ...]]:
        """The terms of the quadratic program, and what its solution means: qdd = S u + s, tau = T u + t."""
        n, m, v = self.unknowns, self.rows, self.robot.nv
        maps = {"S": (v, n), "s": (v,), "T": (n, n), "t": (n,)}
        bounds = dict.fromkeys(("lower", "upper", "penalty"), (m,))
        return {**maps, "H": (n * (n + 1) // 2,), "g": (n,), **bounds, "A": (m, n)}

    @cached_property
    def code(self) -> Program:
        """The code of the terms, one after the other; what does not vary is a number."""

        def expression(*vectors: Any) -> list[Number]:
            return [x for term in self.terms(*vectors).values() for x in term]

        return compile_expression("controller_terms", self.question, self.given, expression, branches=True).program

    @cached_property
    def outputs(self) -> dict[str, tuple[int | float, ...]]:
        """The outputs of the code that are each term."""
        found, start = {}, 0
        for name, shape in self.shapes.items():
            found[name] = self.code.outputs[start : start + prod(shape)]
            start += prod(shape)
        return found

    def terms(self, q: Any, qd: Any, *others: Any) -> dict[str, list[Number]]:
        """Return the terms at a state."""
        n = self.unknowns
        references, gains = others[: 2 * len(self.tasks)], others[2 * len(self.tasks)]
        feet = np.reshape(others[-1], (-1, 2)) if self.contacts else np.zeros((0, 2))
        on = [1.0 * (x > 0.5) for x in feet[:, 0]]
        motion = self.motion.solve(q, qd, on, DRAG)
        H: list[dict[int, Number]] = [{} for _ in range(n)]
        g: list[Number] = [0.0] * n
        for c, leg in enumerate(self.motion.legs):
            for i in leg.own:
                H[self.motion.place[i]][self.motion.place[i]] = choose(
                    on[c] > 0.5, FORCE_REST / self.robot.mass**2, TASK_REST
                )
        for i in range(n):
            H[i].setdefault(i, TASK_REST)
        for k, task in enumerate(self.tasks):
            stiffness, damping, weight = gains[3 * k : 3 * k + 3]
            for row in task.rows(self.robot, q, qd, references[2 * k], references[2 * k + 1]):
                wanted = row.feedforward + stiffness * row.error + damping * row.error_rate
                of_u, missed = combine_affine(
                    [(x, motion.accelerations[i]) for i, x in row.J.items()], row.drift - wanted
                )
                for i, x in of_u.items():
                    scaled = weight * x
                    g[i] = g[i] + scaled * missed
                    for j, y in of_u.items():
                        if j <= i:
                            add_entry(H[i], j, scaled * y)
        rows = [*self._effort_rows(motion), *self._motion_rows(motion, q, qd), *self._friction_rows(motion, on, feet)]
        rows = rows or [(({}, 0.0), -FREE, FREE, 1.0)]
        return {
            "S": _dense([row for row, _ in motion.accelerations], n),
            "s": [x for _, x in motion.accelerations],
            "T": _dense([row for row, _ in motion.efforts], n),
            "t": [x for _, x in motion.efforts],
            "H": [H[i].get(j, 0.0) for i in range(n) for j in range(i + 1)],
            "g": g,
            "lower": [low - own[1] for own, low, _, _ in rows],
            "upper": [up - own[1] for own, _, up, _ in rows],
            "penalty": [penalty for *_, penalty in rows],
            "A": _dense([own[0] for own, *_ in rows], n),
        }

    def _effort_rows(self, motion: Motion) -> list[tuple[Affine, Number, Number, float]]:
        found = list[tuple[Affine, Number, Number, float]]()
        for k, most in self.efforts:
            unit = max(most, 1.0)
            found.append((scale_affine(motion.efforts[k], 1.0 / unit), -most / unit, most / unit, PRIORITIES["effort"]))
        return found

    def _motion_rows(self, motion: Motion, q: Any, qd: Any) -> list[tuple[Affine, Number, Number, float]]:
        found, scale = list[tuple[Affine, Number, Number, float]](), 1.0 / self.limits.acceleration
        for own in self.limits.list_bounds(self.robot):
            low, up = self.limits.bound_acceleration(own, q[own.at], qd[own.along])
            row = scale_affine(motion.accelerations[own.along], scale)
            found.append((row, scale * low, scale * up, PRIORITIES["motion"]))
        return found

    def _friction_rows(
        self, motion: Motion, on: Sequence[Number], feet: Any
    ) -> list[tuple[Affine, Number, Number, float]]:
        """Return mu f_n +- f_t >= 0 and f_n >= 0, in units of the robot's weight; rows of feet in the air are empty."""
        found, scale = list[tuple[Affine, Number, Number, float]](), 1.0 / (9.81 * self.robot.mass)
        for own, flag, (_, friction) in zip(motion.forces, on, feet, strict=True):
            normal, *tangents = (scale_affine(x, scale) for x in own)
            low = flag - 1.0
            for tangent in tangents:
                for sign in (1.0, -1.0):
                    row = {k: ROUND * friction * x for k, x in normal[0].items()}
                    for k, x in tangent[0].items():
                        add_entry(row, k, sign * x)
                    found.append(((row, 0.0), low, FREE, PRIORITIES["friction"]))
            found.append((normal, low, FREE, PRIORITIES["friction"]))
        return found

    def routine(self) -> Routine:
        """Return the code: terms, the quadratic program, and what its solution means."""
        memory, k = Memory(), len(self.contacts)
        for argument in self.given:
            memory.add(argument.name, len(argument.names))
        results = {"tau": self.unknowns, "qdd": self.robot.nv, "forces": 3 * k}
        for name, size in results.items():
            memory.add(name, size)
        for name in ("S", "s", "T", "t"):
            memory.add(name, prod(self.shapes[name]))
        n, m = self.unknowns, self.rows
        entries = self.outputs["A"]
        columns = [[j for j, x in enumerate(entries[n * i : n * i + n]) if isinstance(x, int) or x] for i in range(m)]
        program = QuadraticProgram(memory, n, columns, MOST * (n + m))
        program.allocate()
        own = [a.name for a in self.given]
        begin = memory.placed("terms", self.code, own, list(self.shapes))
        feet = ["contacts"] if k else []
        end = memory.block("end", ["x", "solution", "S", "s", "T", "t", *feet], ["tau", "qdd", "forces"], self.end)
        parts = (begin, *program.parts(), end)
        inputs = tuple(place for name in (*own, "active") for place in memory.places(name))
        ends = ("tau", "qdd", "forces", "active'", "solution")
        outputs = tuple(place for name in ends for place in memory.places(name))
        names = tuple(name for argument in self.arguments for name in argument.names)
        return Routine(names, inputs, outputs, memory.size, parts)

    def end(self, x: Any, solution: Any, S: Any, s: Any, T: Any, t: Any, *feet: Any) -> list[Number]:
        """Return efforts within their limits, accelerations, and forces in the base's axes."""
        n = self.unknowns
        sound = solution[0] < 2.5
        S, s, T, t = (self._put_constants(name, values) for name, values in zip("SsTt", (S, s, T, t), strict=True))
        qdd = [dot(S[n * i : n * i + n], x) + s[i] for i in range(len(s))]
        tau = [dot(T[n * i : n * i + n], x) + t[i] for i in range(n)]
        for k, most in self.efforts:
            tau[k] = maximum(-most, minimum(tau[k], most))
        forces = list[Number]()
        for c, leg in enumerate(self.motion.legs):
            own = [(1.0 * (feet[0][2 * c] > 0.5)) * x[self.motion.place[i]] for i in leg.own]
            forces += [dot(own, self.motion.axes[:, r]) for r in range(3)]
        return [choose(sound, v, 0.0) for v in (*tau, *qdd, *forces)]

    def _put_constants(self, name: str, values: Any) -> list[Number]:
        """Return a term in which what does not vary is a number."""
        return [v if isinstance(o, int) else o for o, v in zip(self.outputs[name], values, strict=True)]


def _dense(rows: Sequence[dict[int, Number]], columns: int) -> list[Number]:
    return [row.get(j, 0.0) for row in rows for j in range(columns)]
