"""What may keep a plan from being found: goals not reached, or not in time, weight that torques cannot hold.

Proofs, of milliseconds, that a task has no solution come before the search: time, reach, obstacles and friction are
enough to tell.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from jaxtyping import Float

from screwgraph.base.protocols import keeps
from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.motion.planning.contacts import FlatContact, PointContact
from screwgraph.motion.planning.factors.dynamics import compile_required_forces
from screwgraph.motion.planning.goals import Velocity
from screwgraph.motion.planning.goals.position import complete_position, find_start_position
from screwgraph.motion.planning.guesses.inverse_kinematics import (
    find_nearest_attempt,
    is_found_at_once,
    list_reaching_positions,
    slowest_joint_time,
)
from screwgraph.motion.planning.items import FrameGoal, PositionGoal
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.limits.base import make_bounds, symmetric_bounds
from screwgraph.motion.planning.limits.position import are_file_limits
from screwgraph.motion.planning.mechanics import list_flat_places
from screwgraph.motion.planning.models import Drive, name_effort
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns

ROUNDING = 1e-6
"""Excess of an effort, as a part of it, that a linear program may leave."""

NEARLY = 1e-6
"""Excess, as a part of what is possible, that is rounding."""


def explain_too_fast_goals(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say of each hard goal of a frame whether joints cannot move in time to any position that reaches it.

    Looked at from the task's start alone, where that is given; in time: at the largest velocities of the robot's file.
    """
    if task.start is None or steps.duration is not None:
        return
    q = complete_position(task.robot, task.start)[0]
    in_time = any(isinstance(i, VelocityLimit) and i.sigma is None and i.bounds is None for i in task.limits)
    for name, goal in task.items("goals"):
        if not keeps(goal, FrameGoal) or goal.sigma is not None:
            continue
        at, times = task.place(name), steps.times_at(goal.time)
        name = name if at is None else f"{name} ({at})"
        is_single = len(times) == 1 and is_found_at_once(goal, steps.mechanics)
        there = list_reaching_positions(steps.mechanics, [goal], q) if is_single else [q]
        (needed, joint), time = (
            min((slowest_joint_time(steps.mechanics, q, x) for x in there), default=(0.0, "")),
            times[0],
        )
        if in_time and joint and needed > time:
            what = f"the nearest position found for {name}"
            yield f"{what} takes joint {joint!r} {needed:.3g} s at its largest velocity, and is due in {time:g} s"


def explain_unreached_goals(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say of each hard goal of a frame at one time whether no position was found that reaches it, and what is nearest.

    No proof, but many searches of a problem that is easier than the task: loops and contacts are left out.
    """
    is_limited = are_file_limits(task.limits)
    for name, goal in task.items("goals"):
        if not keeps(goal, FrameGoal) or goal.sigma is not None or len(steps.times_at(goal.time)) != 1:
            continue
        if not is_found_at_once(goal, steps.mechanics):
            continue
        best = find_nearest_attempt(steps.mechanics, [goal], find_start_position(task), is_limited)
        if not best.reaches:
            at = task.place(name)
            name = name if at is None else f"{name} ({at})"
            within = " within the joint limits" if is_limited else ""
            nearest = f"{goal.frame!r} comes to {best.shortfall} from it"
            yield f"no position was found at which {name} holds{within}: {nearest}"


def explain_weight(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say what cannot hold the robot still at the start, or at a whole position that is a goal.

    No proof: a robot may swing through such a position.
    """
    limits = [(name, i) for name, i in task.items() if isinstance(i, EffortLimit) and i.sigma is None]
    robot, drive = task.robot, steps.drive
    if not limits or task.contacts or not robot.has_frames:
        return
    stands = [("at the start", complete_position(robot, task.start)[0])] if task.start is not None else []
    for name, goal in task.items("goals"):
        if keeps(goal, PositionGoal) and goal.sigma is None:
            q, joints = goal.position(robot)
            stands += [(f"at {name}", q)] if q.ndim == 1 and set(joints) == set(robot.joint_names) else []
    boxes = [limit.box(steps) for _, limit in limits]
    bounds = np.max([b[0] for b in boxes], axis=0), np.min([b[1] for b in boxes], axis=0)
    required, zero = compile_required_forces(steps, ()), np.zeros((1, robot.nv))
    for who, q in stands:
        u = find_static_efforts(robot, drive, q, required(q[None], zero, zero)[0], *bounds)
        for (name, _), (lower, upper) in zip(limits, boxes, strict=True):
            over = np.zeros(1) if u is None else np.maximum(u - upper, lower - u)
            c = int(over.argmax())
            if u is not None and over[c] > ROUNDING * abs(u[c]):
                most, unit = upper[c] if u[c] > 0.0 else -lower[c], drive.units[c]
                takes = f"holding still {who} takes a {name_effort(unit)} of {abs(u[c]):.3g} {unit} of"
                yield f"{takes} {drive.what} {drive.labels[c]!r}, {name} is {most:.3g} {unit}"


# Efforts that hold a robot still, as far within their limits as they can be.

SMALL = 1e-3
"""Part of the largest bound below which others count as if they were so large; what the sum of excesses counts."""


def find_static_efforts(
    robot: Robot,
    drive: Drive,
    q: Float[np.ndarray, " nq"],
    required: Float[np.ndarray, " nv"],
    lower: Float[np.ndarray, " m"],
    upper: Float[np.ndarray, " m"],
) -> Float[np.ndarray, " m"] | None:
    """Return efforts u that hold `required` forces along coordinates, None where none do.

    Where loops, couplings or many actuators leave a choice, required = B u + K' lambda, and excesses, as parts of their
    bounds, are least: first the largest one, then their sum. This is a linear program in u, lambda, each excess, and
    the largest.
    """
    is_shared = len(drive.labels) > len(drive.coordinates)
    if not (robot.is_closed or is_shared):
        return drive.efforts(q[None], required[None])[0]
    from scipy.optimize import linprog

    rest = drive.remaining_forces(np.zeros(robot.nv), q, np.zeros(len(drive.labels)))  # of springs and muscles
    required = required + rest
    B = np.stack([rest - drive.remaining_forces(np.zeros(robot.nv), q, u) for u in np.eye(len(drive.labels))], axis=1)
    twice = rest - drive.remaining_forces(np.zeros(robot.nv), q, 2.0 * np.ones(len(drive.labels)))
    if not np.allclose(twice, 2.0 * B.sum(axis=1)):
        return None  # a law of force is not linear
    K = constraint_jacobian(robot, q)[list(robot.mobility.kept)] if robot.is_closed else np.zeros((0, robot.nv))
    m, most = len(upper), np.concatenate([upper, -lower])
    rows = np.isfinite(most)
    scale = np.maximum(np.abs(most), SMALL * np.abs(most[rows]).max(initial=1.0))
    one, none = np.eye(m), np.zeros((2 * m, len(K)))
    within = np.hstack([np.vstack([one, -one]), none, np.vstack([one, one]) * -scale[:, None], np.zeros((2 * m, 1))])
    largest = np.hstack([np.zeros((m, m + len(K))), one, -np.ones((m, 1))])
    found = linprog(
        np.concatenate([np.zeros(m + len(K)), np.full(m, SMALL / m), [1.0]]),
        A_ub=np.vstack([within[rows], largest]),
        b_ub=np.concatenate([most[rows], np.zeros(m)]),
        A_eq=np.hstack([B, K.T, np.zeros((robot.nv, m + 1))]),
        b_eq=required,
        bounds=[*[(None, None)] * (m + len(K)), *[(0.0, None)] * (m + 1)],
    )
    return found.x[:m] if found.success else None


def prove_infeasible(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say why a task cannot be solved, as far as that can be told at once; nothing where it cannot."""
    for name, goal in task.items("goals"):
        at = task.place(name)
        shown = name if at is None else f"{name} ({at})"
        if keeps(goal, PositionGoal) and goal.sigma is None:
            yield from _too_slow(task, steps, goal, shown)
        elif keeps(goal, FrameGoal) and goal.sigma is None and task.robot.has_frames:
            yield from _out_of_reach(task, steps, goal, shown)
            yield from _prove_occupied(task, steps, goal, shown)
    yield from _slippery(task, steps)


def _too_slow(task: Task, steps: TrajectoryUnknowns, goal: PositionGoal, name: str) -> Iterator[str]:
    """Joints cannot move to where a goal wants them at their largest velocity."""
    limits = [i for i in task.limits if isinstance(i, VelocityLimit) and i.sigma is None]
    times = steps.times_at(goal.time)
    if task.start is None or steps.duration is not None or not limits or len(times) != 1:
        return
    q, (there, joints) = complete_position(task.robot, task.start)[0], goal.position(task.robot)
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


def _out_of_reach(task: Task, steps: TrajectoryUnknowns, goal: FrameGoal, name: str) -> Iterator[str]:
    """The goal is farther from the first joint than all links together are long."""
    place, frame = _find_place(steps, goal), task.robot.frame(goal.frame)
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


def _find_place(steps: TrajectoryUnknowns, goal: FrameGoal) -> Float[np.ndarray, "3"] | None:
    """Return where the origin of a goal's frame must be (m), None where that is not one point."""
    place = goal.place(steps.mechanics)
    return place if place.ndim == 1 and np.isfinite(place).all() else None


def _prove_occupied(task: Task, steps: TrajectoryUnknowns, goal: FrameGoal, name: str) -> Iterator[str]:
    """A sphere on the goal's link is inside an obstacle when the goal is reached, however the link is turned."""
    place, frame = _find_place(steps, goal), task.robot.frame(goal.frame)
    if place is None:
        return
    for item in (i for i in task.obstacles if isinstance(i, Avoid) and i.sigma is None and i.motion is None):
        spheres = item.placed(steps.mechanics)
        own = np.array([link == frame.link for link in spheres.links])
        if not own.any():
            continue
        centres, radii = spheres.numbers[own, :3], spheres.numbers[own, 3]
        R = goal.rotation(steps.mechanics)
        if R is not None:
            T = np.block([[R, place[:, None]], [np.zeros((1, 3)), np.ones((1, 1))]]) @ np.linalg.inv(frame.T_lf)
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
