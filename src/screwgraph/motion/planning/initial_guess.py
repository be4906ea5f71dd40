"""Where the search begins."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

import numpy as np
from jaxtyping import Float

from screwgraph.base.errors import InputError
from screwgraph.motion.planning.contacts import Axle
from screwgraph.motion.planning.full_graph import guess_gravity_directions
from screwgraph.motion.planning.goals import FrameVelocity, Point, Pose, Position
from screwgraph.motion.planning.goals.position import complete_position, find_start_position
from screwgraph.motion.planning.inverse_kinematics import find_reaching_position
from screwgraph.motion.planning.items import Wrench
from screwgraph.motion.planning.limits.position import are_file_limits
from screwgraph.motion.planning.models import copy_coordinates, find_model_kind
from screwgraph.motion.planning.obstacles.collision_check import CollisionChecked
from screwgraph.motion.planning.task import FULL_GRAPH, Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns
from screwgraph.motion.planning.transcription import list_wrenches

MOST = 5
"""Guesses of a task with goals of frames."""
DETOURS = 3
"""Guesses of a task without goals of frames, where there are obstacles, or no dynamics."""
ASIDE = 0.5
"""Standard deviation (rad, m) of joints in the middle of a guess that leads round obstacles."""
BEND = 0.2
"""Standard deviation (rad, m) of joints at the end of a guess that is bent."""


def count_guesses(task: Task) -> int:
    """Return how many guesses there are.

    Frames may reach their goals with joints in several positions, obstacles may be passed on several sides, and where
    velocities are constrained (wheels do not slide sideways), the straight way may be the only one that leads nowhere.
    """
    framed = any(isinstance(goal, Pose | Point | FrameVelocity) and goal.sigma is None for goal in task.goals)
    hidden = any(isinstance(item, CollisionChecked) and item.sigma is None for item in task.obstacles)
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
    stops = {0: find_start_position(task)}
    for goal in task.goals:
        if isinstance(goal, Position):
            at, joints = complete_position(task.robot, goal.at)
            for i, k in enumerate(steps.points_near(goal.time)):
                wanted = at[i] if at.ndim > 1 else at
                q = stops.get(int(k), _stop_before(stops, int(k)))
                stops[int(k)] = copy_coordinates(task.robot, q, wanted, joints)
        elif isinstance(goal, Pose | Point) and len(steps.points_near(goal.time)) == 1:
            (k,) = steps.points_near(goal.time).tolist()
            is_limited, near = are_file_limits(task.limits), _stop_before(stops, k)
            q = find_reaching_position(steps.mechanics, goal, near, is_limited, choice) if k not in stops else None
            if q is not None:
                stops[k] = q
    return stops


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
