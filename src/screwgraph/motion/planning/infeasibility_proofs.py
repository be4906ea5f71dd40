"""Proofs, of milliseconds, that a task has no solution: time, reach, obstacles and friction are enough to tell."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.goals import Point, Pose, Position, Velocity
from screwgraph.motion.planning.goals.position import complete_position
from screwgraph.motion.planning.limits import VelocityLimit
from screwgraph.motion.planning.limits.base import make_bounds, symmetric_bounds
from screwgraph.motion.planning.limits.position import are_file_limits, list_flat_places
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns

NEARLY = 1e-6
"""Excess, as a part of what is possible, that is rounding."""


def prove_infeasible(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say why a task cannot be solved, as far as that can be told at once; nothing where it cannot."""
    for name, goal in task.items():
        if not isinstance(goal, Position | Pose | Point) or goal.sigma is not None:
            continue
        at = task.place(name)
        shown = name if at is None else f"{name} ({at})"
        if isinstance(goal, Position):
            yield from _too_slow(task, steps, goal, shown)
        elif task.robot.has_frames:
            yield from _out_of_reach(task, steps, goal, shown)
            yield from _prove_occupied(task, steps, goal, shown)
    yield from _slippery(task, steps)


def _too_slow(task: Task, steps: TrajectoryUnknowns, goal: Position, name: str) -> Iterator[str]:
    """Joints cannot move to where a goal wants them at their largest velocity."""
    limits = [i for i in task.limits if isinstance(i, VelocityLimit) and i.sigma is None]
    times = steps.times_at(goal.time)
    if task.start is None or steps.duration is not None or not limits or len(times) != 1:
        return
    q, (there, joints) = complete_position(task.robot, task.start)[0], complete_position(task.robot, goal.at)
    places, time, found = list_flat_places(steps.mechanics), float(times[0]), [(0.0, 0, 0.0)]
    for limit in limits:
        lower, upper = make_bounds(
            steps.mechanics, limit.bounds, lambda joint: symmetric_bounds(joint.limits.velocity), "velocity"
        )
        for joint in joints:
            for c in steps.mechanics.coordinates(joint):
                if c in places:
                    way = float(there[places[c]] - q[places[c]])
                    most = float(upper[c] if way > 0.0 else -lower[c])
                    found.append((abs(way) / most if most > 0.0 else np.inf, c, most))
    needed, c, most = max(found)
    if needed > time * (1.0 + NEARLY):
        joint, unit = steps.mechanics.labels[c], steps.mechanics.units("velocity")[c]
        yield (
            f"{name} takes joint {joint!r} {needed:.3g} s at its largest velocity, and is due in {time:g} s "
            f"(limit {most:.3g} {unit})"
        )


def _out_of_reach(task: Task, steps: TrajectoryUnknowns, goal: Pose | Point, name: str) -> Iterator[str]:
    """The goal is farther from the first joint than all links together are long."""
    place, frame = _goal_point(steps, goal), task.robot.frame(goal.frame)
    chain = list(task.robot.joints_to_base(frame.link))
    chain = chain if chain and chain[0].child != frame.link else chain[::-1]
    if place is None or not chain:
        return
    is_limited = are_file_limits(task.limits)
    most = float(np.linalg.norm(frame.T_lf[:3, 3]))
    for i, joint in enumerate(chain):
        most += float(np.linalg.norm(joint.origin[:3, 3])) if i else 0.0
        if joint.holds_its_point:
            continue
        axis = joint.single_axis
        if axis is not None and not axis[:3].any() and is_limited:
            ends = (joint.limits.lower, joint.limits.upper)
            most += max(np.inf if end is None else abs(end) for end in ends)
        else:
            return
    first = chain[0].origin[:3, 3]
    away = float(np.linalg.norm(place - first))
    if away > most * (1.0 + NEARLY):
        where = ", ".join(f"{x:.3g}" for x in first)
        yield f"{name} is out of reach: {away:.3g} m from ({where}), where {goal.frame!r} comes at most {most:.3g} m"


def _goal_point(steps: TrajectoryUnknowns, goal: Pose | Point) -> Any:
    """Return where the origin of a goal's frame must be (m), None where that is not one point."""
    if isinstance(goal, Pose):
        T = goal.target(steps.mechanics)
        return T[:3, 3] if T.ndim == 2 else None
    at = np.asarray(goal.at, dtype=float)
    return at[["xyz".index(a) for a in goal.axes]] if sorted(goal.axes) == ["x", "y", "z"] and at.ndim == 1 else None


def _prove_occupied(task: Task, steps: TrajectoryUnknowns, goal: Pose | Point, name: str) -> Iterator[str]:
    """A sphere on the goal's link is inside an obstacle when the goal is reached, however the link is turned."""
    place, frame = _goal_point(steps, goal), task.robot.frame(goal.frame)
    if place is None:
        return
    for item in (i for i in task.obstacles if isinstance(i, Avoid) and i.sigma is None and i.motion is None):
        spheres = item.placed(steps.mechanics)
        own = np.array([link == frame.link for link in spheres.links])
        if not own.any():
            continue
        centres, radii = spheres.numbers[own, :3], spheres.numbers[own, 3]
        if isinstance(goal, Pose):
            T = goal.target(steps.mechanics) @ np.linalg.inv(frame.T_lf)
            centres, apart = centres @ T[:3, :3].T + T[:3, 3], np.zeros(len(radii))
        else:
            apart = np.linalg.norm(centres - frame.T_lf[:3, 3], axis=1)
            centres = np.tile(place, (len(radii), 1))
        depth, what = min((c + apart[i], what) for c, i, what in item.clearances_at(centres, radii))
        if depth < -NEARLY:
            yield f"{name}: a sphere on {frame.link!r} is {-depth:.3g} m too near to {what} there"


def _slippery(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """From rest to rest contacts must carry the weight, on average; their cones do not hold that direction."""
    contacts = [c for c in task.contacts if isinstance(c, FlatContact | PointContact)]
    if len(contacts) != len(task.contacts) or not contacts:
        return
    gravity, floats = np.asarray(task.robot.gravity), task.robot.joints[0].type.nv == 6
    if not floats or not gravity.any():
        return
    if any(c.sigma is not None for c in contacts) or not _rests(task) or set(range(6)) & set(steps.actuated):
        return
    up = -gravity / np.linalg.norm(gravity)
    normals = {tuple(np.round(np.asarray(c.normal) / np.linalg.norm(c.normal), 12).tolist()) for c in contacts}
    if len(normals) > 1:
        return
    (normal,) = normals
    steep, holds = np.arccos(np.clip(up @ np.array(normal), -1.0, 1.0)), np.arctan(max(c.friction for c in contacts))
    if steep > holds + NEARLY:
        yield (
            f"the contacts slip: gravity is {np.rad2deg(steep):.3g} deg from their normal, "
            f"and friction holds up to {np.rad2deg(holds):.3g} deg"
        )


def _rests(task: Task) -> bool:
    """Whether the robot is at rest at the start and at the end."""

    def zero(value: Any) -> bool:
        return value is not None and not isinstance(value, Mapping) and not np.any(np.asarray(value, dtype=float))

    ends = [g for g in task.goals if isinstance(g, Velocity) and g.sigma is None and g.time in ("end", "always")]
    return zero(task.start_velocity) and any(zero(g.at) for g in ends)
