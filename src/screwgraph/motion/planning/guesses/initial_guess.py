"""Initial guesses: where the search begins.

Where nothing drives the base (a falling cat), joints go round in cycles. Velocities of what is not driven follow from
the conserved momenta; cycles of some size, in one or the other sense, lead near to where goals want the whole. Marsden,
Montgomery, Ratiu (1990).
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.base.protocols import keeps
from screwgraph.motion.planning.contacts import Axle
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.factors.full_graph import guess_gravity_directions
from screwgraph.motion.planning.goals import FrameVelocity
from screwgraph.motion.planning.goals.position import find_start_position
from screwgraph.motion.planning.guesses.inverse_kinematics import find_reaching_position, is_found_at_once
from screwgraph.motion.planning.items import FrameGoal, PositionGoal, Wrench
from screwgraph.motion.planning.limits import PositionLimit
from screwgraph.motion.planning.limits.position import are_file_limits
from screwgraph.motion.planning.models import copy_coordinates, find_model_kind
from screwgraph.motion.planning.obstacles.collision_check import CollisionChecked
from screwgraph.motion.planning.task import FULL_GRAPH, Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription.conserved_goals import Momenta, find_momenta
from screwgraph.motion.planning.transcription.problem import list_wrenches
from screwgraph.optimize.manifold_code import difference_values, retract_values

MOST = 5
"""Guesses of a task with goals of frames."""

DETOURS = 3
"""Guesses of a task without goals of frames, where there are obstacles, or no dynamics."""

ASIDE = 0.5
"""Standard deviation (rad, m) of joints in the middle of a guess that leads round obstacles."""

BEND = 0.2
"""Standard deviation (rad, m) of joints at the end of a guess that is bent."""

TURNS = (1, 2, 3, 4)
"""Cycles within the duration."""

SIZES = np.linspace(0.25, 3.0, 12)
"""Amplitudes of joints (rad, m)."""

MOST_CYCLIC = 6
"""Motions to begin with."""

HASTE = 0.05
"""Distance from the goals (rad, m) that a cycle of one radian more may bring less."""

SMALL = 1e-6


def count_guesses(task: Task) -> int:
    """Return how many guesses there are.

    Frames may reach their goals with joints in several positions, obstacles may be passed on several sides, and where
    velocities are constrained (wheels do not slide sideways), the straight way may be the only one that leads nowhere.
    """
    framed = any(
        (isinstance(goal, FrameVelocity) or keeps(goal, FrameGoal)) and goal.sigma is None for goal in task.goals
    )
    hidden = any(keeps(item, CollisionChecked) and item.sigma is None for item in task.obstacles)
    if not isinstance(task.guess, str):
        return 1
    return MOST if framed else DETOURS if hidden or not task.dynamics or _is_steered(task) else 1


def _is_steered(task: Task) -> bool:
    """Whether velocities are constrained, so that the straight way to a goal may be none."""
    return any(isinstance(contact, Axle) for contact in task.contacts)


def make_initial_values(task: Task, steps: TrajectoryUnknowns, choice: int = 0) -> dict[str, np.ndarray]:
    """Return values to begin with, by family; those left out begin at zero.

    Other choices than 0 lead smoothly, from rest to rest, by other positions at which frames reach their goals; where
    these are velocities, they are bent, since a robot that is stretched out cannot tell which way to bend. Where there
    are obstacles, they swing out.

    Raises:
        InputError: the task's own guess does not fit.
    """
    durations = np.array([[p.duration] for p in steps.phases])
    values: dict[str, np.ndarray] = {} if steps.duration is None else {"duration": durations}
    if task.dynamics:
        values |= guess_contact_forces(steps, list_wrenches(task, steps))
    if not isinstance(task.guess, str):
        given = {name: np.asarray(value, dtype=float) for name, value in task.guess.items()}
        if "q" not in given:
            raise InputError("the guess has no positions", fix='give {"q": (K, nq), ...}')
        return values | given
    if choice:
        values |= _smooth(task, steps, _stops(task, steps, choice))
        if any(isinstance(goal, FrameVelocity) for goal in task.goals):
            values["q"] = _bent(task, values["q"], choice)
        elif task.obstacles or not task.dynamics or _is_steered(task):
            values["q"] = _detour(task, steps, values["q"], choice)
    elif task.guess == "stay":
        values["q"] = _stay(task, steps)
    else:
        values["q"] = find_model_kind(task.robot).closed_path(task.robot, _linear(task, steps, _stops(task, steps, 0)))
    q = values["q"]
    return values | (guess_gravity_directions(steps, q) if task.dynamics == FULL_GRAPH else {})


def _stay(task: Task, steps: TrajectoryUnknowns) -> Float[np.ndarray, "K nq"]:
    return np.tile(find_start_position(task), (len(steps.times), 1))


def _stops(task: Task, steps: TrajectoryUnknowns, choice: int) -> dict[int, Float[np.ndarray, " nq"]]:
    """Return positions that are wanted, or reach what is wanted, by point; joints that no goal names stay."""
    stops, framed = {0: find_start_position(task)}, dict[int, list[FrameGoal]]()
    for goal in task.goals:
        if keeps(goal, PositionGoal):
            at, joints = goal.position(task.robot)
            for i, k in enumerate(steps.points_near(goal.time)):
                wanted = at[i] if at.ndim > 1 else at
                q = stops.get(int(k), _stop_before(stops, int(k)))
                stops[int(k)] = copy_coordinates(task.robot, q, wanted, joints)
        elif keeps(goal, FrameGoal) and len(steps.points_near(goal.time)) == 1:
            framed.setdefault(int(steps.points_near(goal.time)[0]), []).append(goal)
    for k, goals in sorted(framed.items()):
        q = None if k in stops else _find_stop(task, steps, goals, _stop_before(stops, k), choice)
        if q is not None:
            stops[k] = q
    return stops


def _find_stop(
    task: Task, steps: TrajectoryUnknowns, goals: list[FrameGoal], near: Float[np.ndarray, " nq"], choice: int
) -> Float[np.ndarray, " nq"] | None:
    """Return a position that meets goals of frames at one time; the first of them, where none is found for all."""
    is_limited, goals = are_file_limits(task.limits), [g for g in goals if is_found_at_once(g, steps.mechanics)]
    for wanted in [goals, goals[:1]][: len(goals)]:
        q = find_reaching_position(steps.mechanics, wanted, near, is_limited, choice)
        if q is not None:
            return q
    return None


def _linear(task: Task, steps: TrajectoryUnknowns, stops: dict[int, np.ndarray]) -> Float[np.ndarray, "K nq"]:
    """Go straight from one stop to the next."""
    found, knots = _stay(task, steps), sorted(stops)
    for a, b in itertools.pairwise(knots):
        part = (np.arange(a, b + 1) - a) / (b - a)
        found[a : b + 1] = _interpolate_stops(task, steps, stops[a], stops[b], part)
    found[knots[-1] :] = stops[knots[-1]]
    return found


def _smooth(task: Task, steps: TrajectoryUnknowns, stops: dict[int, np.ndarray]) -> dict[str, np.ndarray]:
    """Go straight from one stop to the next, at rest at each; return positions and velocities."""
    q, qd, knots = _linear(task, steps, stops), np.zeros((len(steps.times), task.robot.nv)), sorted(stops)
    for a, b in itertools.pairwise(knots):
        part = (np.arange(a, b + 1) - a) / (b - a)
        q[a : b + 1] = _interpolate_stops(task, steps, stops[a], stops[b], part**2 * (3.0 - 2.0 * part))
        rate = 6.0 * part * (1.0 - part) / (steps.times[b] - steps.times[a])
        qd[a : b + 1] = rate[:, None] * np.asarray(
            steps.mechanics.positions.difference(stops[a], stops[b]), dtype=float
        )
    return {"q": q, "qd": qd}


def _bent(task: Task, q: Float[np.ndarray, "K nq"], choice: int) -> Float[np.ndarray, "K nq"]:
    way = BEND * np.random.default_rng(choice).standard_normal(task.robot.nv)
    return np.array(
        [task.robot.manifold.retract(at, part * way) for at, part in zip(q, np.linspace(0, 1, len(q)), strict=True)]
    )


def _detour(
    task: Task, steps: TrajectoryUnknowns, q: Float[np.ndarray, "K nq"], choice: int
) -> Float[np.ndarray, "K nq"]:
    """Return a way that swings out to a random side, from where it begins to where it ends."""
    way = ASIDE * np.random.default_rng(choice).standard_normal(task.robot.nv)
    bump = np.sin(np.pi * steps.times / steps.times[-1])
    return np.array([task.robot.manifold.retract(at, part * way) for at, part in zip(q, bump, strict=True)])


def _stop_before(stops: dict[int, np.ndarray], k: int) -> np.ndarray:
    return stops[max(s for s in stops if s <= k)]


def _interpolate_stops(
    task: Task, steps: TrajectoryUnknowns, a: np.ndarray, b: np.ndarray, part: np.ndarray
) -> np.ndarray:
    if task.robot.nq == task.robot.nv:
        return a + part[:, None] * (b - a)
    way = np.asarray(steps.mechanics.positions.difference(a, b), dtype=float)
    return np.array([task.robot.manifold.retract(a, s * way) for s in part])


# Contact forces to begin with: the robot's weight, shared by the contacts of each time.


def guess_contact_forces(steps: TrajectoryUnknowns, wrenches: Sequence[Wrench]) -> dict[str, np.ndarray]:
    """Return values of the wrenches' unknowns, by family, under which normal forces carry the weight together."""
    robot = steps.mechanics.robot
    if not wrenches:
        return {}
    weight = sum(link.inertia.mass for link in robot.links) * float(np.linalg.norm(np.array(robot.gravity)))
    acting = np.zeros(len(steps.points))
    for w in wrenches:
        acting[w.samples] += 1.0
    found = {}
    for w in wrenches:
        value = np.zeros((len(w.samples), w.unknowns.manifold.dim))
        value[:, list(w.carries)] = (weight / acting[w.samples] / max(len(w.carries), 1))[:, None]
        found[w.unknowns.name] = value
    return found


def cyclic_motions(task: Task, steps: TrajectoryUnknowns) -> Iterator[dict[str, np.ndarray]]:
    """Yield values by family of motions that end near the goals, nearest first; none where momenta leave some free."""
    momenta, robot, goal = find_momenta(steps), task.robot, _goal(task)
    driven = list(steps.actuated)
    free = [c for c in range(robot.nv) if c not in driven]
    if momenta is None or goal is None or len(free) != len(momenta.gravity) or steps.duration is not None:
        return
    tries = [(k, sense, size) for k in TURNS for sense in (1.0, -1.0) for size in SIZES]
    q, qd, is_kept = _carried_out(task, steps, momenta, goal, driven, free, tries)
    last = difference_values(steps.mechanics.positions, q[:, -1], np.broadcast_to(goal, q[:, -1].shape))
    off = np.abs(last).max(axis=1) + np.where(is_kept, 0.0, 10.0)
    off += HASTE * np.array([turns * size for turns, _, size in tries])
    taken: set[tuple[int, float]] = set()
    for i in np.argsort(off, kind="stable").tolist():
        if tries[i][:2] not in taken and len(taken) < MOST_CYCLIC:
            taken.add(tries[i][:2])
            yield _values(steps, q[i], qd[i])


def _goal(task: Task) -> Float[np.ndarray, " nq"] | None:
    """Return the whole position that is the last hard goal."""
    for goal in reversed(task.goals):
        if keeps(goal, PositionGoal) and goal.sigma is None and goal.time == "end":
            at, joints = goal.position(task.robot)
            return at if at.ndim == 1 and set(joints) == set(task.robot.joint_names) else None
    return None


def _carried_out(
    task: Task,
    steps: TrajectoryUnknowns,
    momenta: Momenta,
    goal: np.ndarray,
    driven: list[int],
    free: list[int],
    tries: list,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return positions and velocities of all tries at the points of time, and which of them keep limits."""
    manifold, t, n = steps.mechanics.positions, steps.times, len(tries)
    q0, qd0 = (steps.given[family][0] for family in ("q", "qd"))
    p0, way = momenta.rows(q0[None])[0] @ qd0, difference_values(manifold, q0[None], goal[None])[0][driven]
    turns, sense, size = (np.array(column) for column in zip(*tries, strict=True))
    phases = 0.5 * np.pi * np.arange(len(driven))

    def shape(x: float) -> np.ndarray:
        """Return where the driven coordinates are at a part of the duration, from where they begin."""
        angle = 2.0 * np.pi * turns[:, None] * x + sense[:, None] * phases
        return way * x**2 * (3.0 - 2.0 * x) + np.sin(np.pi * x) ** 2 * size[:, None] * np.cos(angle)

    def rates(q: np.ndarray, x: float, time: float) -> np.ndarray:
        found = np.zeros((n, len(driven) + len(free)))
        low, high = max(x - SMALL, 0.0), min(x + SMALL, 1.0)
        found[:, driven] = (shape(high) - shape(low)) / ((high - low) * t[-1])
        a, p = momenta.rows(q), p0 + momenta.gravity * time
        found[:, free] = np.linalg.solve(
            a[:, :, free], (p - np.einsum("nrd,nd->nr", a[:, :, driven], found[:, driven]))[..., None]
        )[..., 0]
        return found

    q, qd = np.empty((n, len(t), q0.size)), np.empty((n, len(t), len(driven) + len(free)))
    at = np.broadcast_to(q0, (n, q0.size)).copy()
    for i, time in enumerate(t.tolist()):
        q[:, i], qd[:, i] = at, rates(at, time / t[-1], time)
        if i + 1 < len(t):
            h = float(t[i + 1] - time)
            half = retract_values(manifold, at, 0.5 * h * qd[:, i])
            step = h * rates(half, (time + 0.5 * h) / t[-1], time + 0.5 * h)
            step[:, driven] = shape((time + h) / t[-1]) - shape(time / t[-1])
            at = retract_values(manifold, at, step)
    return q, qd, _within_limits(task, steps, q)


def _within_limits(task: Task, steps: TrajectoryUnknowns, q: Float[np.ndarray, "n K nq"]) -> np.ndarray:
    kept = np.ones(len(q), dtype=bool)
    for limit in (i for i in task.limits if isinstance(i, PositionLimit) and i.sigma is None):
        lower, upper = limit.box(steps)
        kept &= ((q >= lower) & (q <= upper)).all(axis=(1, 2))
    return kept


def _values(steps: TrajectoryUnknowns, q: np.ndarray, qd: np.ndarray) -> dict[str, np.ndarray]:
    points = steps.points
    qdd = np.gradient(qd, steps.times, axis=0)[points]
    tau = compile_required_forces(steps, ())(q[points], qd[points], qdd)[:, list(steps.actuated)]
    held = {} if steps.collocation.holds else {"tau": tau}
    return {"q": q, "qd": qd, "qdd": qdd, **held}
