"""From a task to a problem over time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from screwgraph.base.errors import InputError, ModelError
from screwgraph.base.protocols import keeps
from screwgraph.base.summary import one_line
from screwgraph.motion.planning.collocation import COLLOCATIONS
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.costs.base import select_weights
from screwgraph.motion.planning.factors.driven_coordinates import hold_start, make_driven_factors
from screwgraph.motion.planning.factors.dynamics import (
    make_collocation_factors,
    make_dynamics_factors,
    make_effort_pieces,
)
from screwgraph.motion.planning.factors.full_graph import make_full_graph_factors
from screwgraph.motion.planning.factors.loop_closure import make_loop_factors
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.goals.position import find_start_position
from screwgraph.motion.planning.goals.velocity import select_velocities
from screwgraph.motion.planning.items import ActingItem, StateGoal, Wrench
from screwgraph.motion.planning.limits.base import check_start
from screwgraph.motion.planning.limits.limit_violations import make_between_limits
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.models import find_model_kind
from screwgraph.motion.planning.obstacles.collision_check import check_given_positions
from screwgraph.motion.planning.task import CONDENSED, FULL_GRAPH, Task
from screwgraph.motion.planning.template_wrappers import BoundViolation
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.condensing import (
    Followers,
    can_drop_accelerations,
    condense_factors,
    evaluate_condensed,
    make_difference_pieces,
)
from screwgraph.motion.planning.transcription.conserved_goals import without_conserved
from screwgraph.motion.planning.transcription.frame_goal_conflicts import check_frame_goals
from screwgraph.motion.planning.transcription.goal_conflicts import check_goal_conflicts
from screwgraph.motion.planning.transcription.regularisation import NAME, make_acceleration_cost
from screwgraph.optimize import Factors, Problem, Variables, each, inequality, soft
from screwgraph.optimize.substitution import SubstitutionPiece

NUDGE = 1e-5
"""Displacement (rad, m) by which closure errors are differentiated."""
CLOSED = 1e-4
"""Largest closure error (m, rad) of a start; collocation takes the rest away."""
Follower = tuple[Variables, Sequence[SubstitutionPiece]] | None


@dataclass(frozen=True, eq=False)
class Transcription:
    """A task as a factor graph over time; `between` names the factors that keep limits between points.

    `proofs` say why no motion can keep what is conserved; `is_cyclic`: goals are reached by cyclic motions alone.
    """

    __repr__ = one_line

    task: Task
    steps: TrajectoryUnknowns
    problem: Problem
    followers: Followers = ()
    between: frozenset[str] = frozenset()
    proofs: tuple[str, ...] = ()
    is_cyclic: bool = False

    def at_points(self) -> Transcription:
        """Return it with limits that hold at points alone."""
        factors = [f for f in self.problem.factors if f.name not in self.between]
        return replace(self, problem=Problem(factors, self.problem.families), between=frozenset())

    def complete(self, values: Mapping[str, np.ndarray]) -> dict[str, np.ndarray]:
        """Return values by family with those of families that are no unknowns, but follow from these."""
        return evaluate_condensed(self.followers, values)


def transcribe(task: Task, mechanics: Mechanics | None = None, *, is_measured: bool = False) -> Transcription:
    """Return a task as a problem; `mechanics`, where given, is that of the same robot, whose code is used again.

    A start that `is_measured` is taken as it is: nothing is refused that it violates.

    Raises:
        InputError: an item does not fit the robot or the horizon, the start breaks a limit, given positions collide or
            do not close loops, or goals contradict each other, a limit or the start. ModelError, where items come from
            a file, with its line.
    """
    if task.path is not None:
        raise InputError("the task has an exact path: nothing but its timing is sought", fix="sg.plan finds it")
    with locate_errors(task):
        return _transcribe_task(task, mechanics or Mechanics(task.robot), is_measured)


@contextmanager
def locate_errors(task: Task) -> Iterator[None]:
    """Say in which line of a file the item of a task stands that an InputError is about: its name comes first."""
    try:
        yield
    except InputError as error:
        place = task.place(error.what.partition(":")[0])
        if place is None:
            raise
        raise ModelError(error.what, at=place, why=error.why, fix=error.fix) from None


def _transcribe_task(task: Task, mechanics: Mechanics, is_measured: bool) -> Transcription:
    starts = _starts(task, mechanics)
    if not is_measured and "q" in starts:
        _check_closed(task.robot, "start", starts["q"])
        _check_closed_rates(task.robot, starts["q"], starts.get("qd", np.zeros(task.robot.nv)))
    steps = TrajectoryUnknowns(
        mechanics,
        task.phases,
        COLLOCATIONS[task.collocation],
        mechanics.drive(task.actuated),
        has_dynamics=bool(task.dynamics),
        start_given=len(starts) == 2,
        is_measured=is_measured,
    )
    steps = replace(steps, given=_collect_given_states(task, steps, starts))
    factors, accelerations, efforts = _motion(task, steps)
    factors += _start(steps, starts)
    has_accelerations = _uses_accelerations(factors)
    factors += make_loop_factors(steps, has_accelerations=has_accelerations)
    factors += make_driven_factors(steps, has_accelerations=has_accelerations)
    for name, item in task.items():
        with name_errors(name):
            factors += item.factors(steps, name)
    if task.dynamics:
        acting = list_wrenches(task, steps)
        factors += [*make_acceleration_cost(task, steps, acting), *make_internal_force_cost(task, steps, acting)]
    factors += _durations(steps)
    if not is_measured:
        check_start(steps, factors, starts)
    check_goal_conflicts(steps, factors)
    check_frame_goals(steps, factors)
    if not is_measured:
        check_given_positions(task, mechanics)
    factors, proofs, is_cyclic = without_conserved(task, steps, factors)
    between = make_between_limits(steps, factors)
    factors, followers = condense_factors([*factors, *between], accelerations, efforts)
    names = frozenset(f.name for f in between)
    return Transcription(task, steps, Problem(factors, _families(factors)), followers, names, proofs, is_cyclic)


@contextmanager
def name_errors(name: str) -> Iterator[None]:
    """Name the part of a task that an InputError inside is about."""
    try:
        yield
    except InputError as error:
        what = error.what if error.what.startswith(f"{name}: ") else f"{name}: {error.what}"
        raise InputError(what, why=error.why, fix=error.fix) from None


def _motion(task: Task, steps: TrajectoryUnknowns) -> tuple[list[Factors], Follower, Follower]:
    """Return collocation and laws of motion; and accelerations and torques, where they are to be no unknowns."""
    accelerations, efforts = None, None
    is_condensed = task.dynamics == CONDENSED
    if is_condensed and can_drop_accelerations(steps):
        joined, pieces = make_difference_pieces(steps)
        accelerations = steps.qdd, pieces
    else:
        joined = make_collocation_factors(steps)
    if not task.dynamics:
        return joined, accelerations, None
    acting = list_wrenches(task, steps)
    if not is_condensed:
        made = make_full_graph_factors if task.dynamics == FULL_GRAPH else make_dynamics_factors
        return joined + made(steps, acting), None, None
    laws, pieces = make_effort_pieces(steps, acting)
    if steps.actuated:
        efforts = steps.tau, pieces
    return joined + laws, accelerations, efforts


def _uses_accelerations(factors: list[Factors]) -> bool:
    return any(a.variables.name == "qdd" for f in factors for a in f.arguments)


def list_wrenches(task: Task, steps: TrajectoryUnknowns) -> Sequence[Wrench]:
    """Return the wrenches of a task's contacts; on the same unknowns, those of the same items are made once."""
    items = list(task.items())
    key = tuple(id(item) for _, item in items)
    if key not in steps.known_wrenches:
        found: list[Wrench] = []
        for name, item in items:
            if keeps(item, ActingItem):
                with name_errors(name):
                    found += item.wrenches(steps, name)
        steps.known_wrenches.setdefault(key, (items, tuple(found)))  # items that live on keep their identities
    return steps.known_wrenches[key][1]


def _starts(task: Task, mechanics: Mechanics) -> dict[str, np.ndarray]:
    """Return whole position and velocity at the start, as far as they are given. Raises InputError."""
    found, robot = {}, task.robot
    with name_errors("start"):
        if task.start is not None:
            found["q"] = find_start_position(task)
        if task.start_velocity is not None:
            found["qd"], given = np.zeros(robot.nv), _start_velocity(task)
            columns, values = select_velocities(mechanics, given)
            found["qd"][list(columns)] = values
            if isinstance(given, Mapping):
                completed = find_model_kind(robot).completed_velocity
                found["qd"] = completed(robot, found.get("q"), found["qd"], given)
    return found


def _start_velocity(task: Task) -> Any:
    """Return the velocity at the start; where coordinates are driven, the smallest one with their rates is rest."""
    given, driven = task.start_velocity, task.robot.driven
    if driven and not isinstance(given, Mapping) and np.ndim(given) == 0 and given == 0.0:
        given = {}
    return hold_start(task.robot, given, 1) if isinstance(given, Mapping) else given


def _check_closed(robot: Any, name: str, q: np.ndarray) -> None:
    """See that loops and couplings hold at the start, or at a goal. Raises InputError."""
    off = np.abs(find_model_kind(robot).closure_errors(robot, q)) if robot.is_closed else np.zeros(1)
    if off.max() > CLOSED:
        raise InputError(
            f"{name}: loops of {robot.name!r} do not close there, by {off.max():.3g} (m, rad)",
            fix="give robot.close_loops(q), or robot.complete(independent positions)",
        )


def _check_closed_rates(robot: Any, q: np.ndarray, qd: np.ndarray) -> None:
    """See that the velocity at a start keeps loops and couplings closed. Raises InputError."""
    if not (robot.is_closed and qd.any()):
        return
    closing, moved = find_model_kind(robot).closure_errors, NUDGE * qd / np.abs(qd).max()
    ends = [closing(robot, robot.manifold.retract(q, sign * moved)) for sign in (1.0, -1.0)]
    off = np.abs(np.asarray(ends[0], dtype=float) - np.asarray(ends[1], dtype=float)) / (2.0 * NUDGE)
    if off.max() > CLOSED:
        raise InputError(
            f"start: loops of {robot.name!r} open at this velocity, by {off.max() * np.abs(qd).max():.3g} (m/s, rad/s)",
            fix="give robot.complete_velocity(q, those of independent joints), a mechanism's by {coordinate: velocity}",
        )


def _collect_given_states(
    task: Task, steps: TrajectoryUnknowns, starts: Mapping[str, np.ndarray]
) -> dict[str, dict[int, np.ndarray]]:
    """Return whole positions and velocities that must be had, by family and point."""
    found: dict[str, dict[int, np.ndarray]] = {"q": {}, "qd": {}}
    for name, goal in task.items("goals"):
        if not keeps(goal, StateGoal) or goal.sigma is not None:
            continue
        try:
            points = [steps.find_point(t) for t in steps.times_at(goal.time).tolist()]
            value = goal.whole_values(steps.mechanics)
        except InputError:  # the goal itself tells, in its turn
            continue
        if value is None:
            continue
        values = value if value.ndim > 1 else np.tile(value, (len(points), 1))
        for q in np.atleast_2d(value) if goal.family == "q" else ():
            _check_closed(task.robot, name, q)
        found[goal.family] |= {p: v for p, v in zip(points, values, strict=False) if p is not None}
    for family, value in starts.items():
        found[family][0] = value
    return found


def _start(steps: TrajectoryUnknowns, starts: dict[str, np.ndarray]) -> list[Factors]:
    found: list[Factors] = []
    if "q" in starts:
        found += Position(starts["q"], "start").factors(steps, "start")
    if "qd" in starts:
        found += Velocity(starts["qd"], "start").factors(steps, "start")
    return found


def _durations(steps: TrajectoryUnknowns) -> list[Factors]:
    """Return the bounds of free durations; one that is given is free within itself."""
    if steps.duration is None:
        return []
    lower = np.array([[p.shortest or p.duration * (1.0 - 1e-9)] for p in steps.phases])
    upper = np.array([[p.longest or p.duration * (1.0 + 1e-9)] for p in steps.phases])
    return [
        inequality(BoundViolation((0,), (0,)), steps.duration, lower=each(lower), upper=each(upper), name="durations")
    ]


def _families(factors: list[Factors]) -> list[Variables]:
    """Return the families that factors are on, in the order of `TrajectoryUnknowns`."""
    known = ["q", "qd", "qdd", "tau", "duration"]
    used = dict.fromkeys(a.variables for f in factors for a in f.arguments)
    return sorted(used, key=lambda v: known.index(v.name) if v.name in known else len(known))


# Contact forces that cancel out cost a little: else nothing decides between forces that make the same wrench.
#
# Four points of a sole have twelve forces for six numbers of a wrench; what is left would jump from sample to sample.

ARM = 0.03
"""Lever arm (m) by which a force that cancels out costs as much as a torque: far less than legs are long."""


@dataclass(frozen=True)
class InternalForces:
    """Internal contact forces: those that make no wrench."""

    mechanics: Mechanics
    frame: str
    internal: Callable[[Any, Any, Any], Any]

    def __call__(self, q: Any, forces: Any) -> Any:
        """Return it."""
        return self.internal(q, self.mechanics.pose_of(self.frame)(q), forces)


def make_internal_force_cost(task: Task, steps: TrajectoryUnknowns, acting: Sequence[Wrench]) -> Iterator[Factors]:
    """Return a cost of the forces of each contact that cancel out; none of tasks that are not regularised."""
    if not np.isfinite(task.regularisation):
        return
    weight = ARM**2 * _weight_of_effort(task, steps)
    lasting = np.array([phase.duration for phase in steps.phases])[steps.phase_of_sample] * steps.weights
    for w, internal in ((w, w.internal) for w in acting):
        if internal is None:
            continue
        sigma = 1.0 / np.sqrt(2.0 * weight * lasting[w.samples])
        states, template = steps.q[steps.points[w.samples]], InternalForces(steps.mechanics, w.frame, internal)
        yield soft(template, states, w.unknowns[:], sigma=each(sigma), name=f"{NAME}: {w.unknowns.name}")


def _weight_of_effort(task: Task, steps: TrajectoryUnknowns) -> float:
    """Return the mean weight of the task's costs of effort, 1 where there are none."""
    sums = np.zeros(len(steps.drive.labels))
    for cost in (cost for cost in task.costs if isinstance(cost, Effort)):
        columns, weight = select_weights(cost.weight, len(sums), steps.drive.places)
        sums[list(columns)] += weight
    return float(sums.mean()) if sums.any() else 1.0
