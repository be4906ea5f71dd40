"""What may keep a plan from being found: goals not reached, or not in time, weight that torques cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from screwgraph.model.robot import Robot, constraint_jacobian
from screwgraph.motion.planning.dynamics import compile_required_forces
from screwgraph.motion.planning.goals import Point, Pose, Position
from screwgraph.motion.planning.goals.position import complete_position, find_start_position
from screwgraph.motion.planning.inverse_kinematics import (
    find_nearest_attempt,
    list_reaching_positions,
    slowest_joint_time,
)
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.limits.position import are_file_limits
from screwgraph.motion.planning.models import Drive, name_effort
from screwgraph.motion.planning.task import Task
from screwgraph.motion.planning.trajectory_unknowns import TrajectoryUnknowns

ROUNDING = 1e-6
"""Excess of an effort, as a part of it, that a linear program may leave."""


def explain_too_fast_goals(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say of each hard goal of a frame whether joints cannot move in time to any position that reaches it.

    Looked at from the task's start alone, where that is given; in time: at the largest velocities of the robot's file.
    """
    if task.start is None or steps.duration is not None:
        return
    q = complete_position(task.robot, task.start)[0]
    in_time = any(isinstance(i, VelocityLimit) and i.sigma is None and i.bounds is None for i in task.limits)
    for name, goal in task.items():
        if not isinstance(goal, Pose | Point) or goal.sigma is not None:
            continue
        at, times = task.place(name), steps.times_at(goal.time)
        name = name if at is None else f"{name} ({at})"
        there = list_reaching_positions(steps.mechanics, goal, q) if len(times) == 1 else [q]
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
    for name, goal in task.items():
        if not isinstance(goal, Pose | Point) or goal.sigma is not None or len(steps.times_at(goal.time)) != 1:
            continue
        if np.ndim(goal.at) > (2 if isinstance(goal, Pose) else 1):
            continue
        best = find_nearest_attempt(steps.mechanics, goal, find_start_position(task), is_limited)
        if not best.reaches:
            at = task.place(name)
            name = name if at is None else f"{name} ({at})"
            away = f"{best.errors[-1]:.3g} m" + (f" and {best.errors[0]:.3g} rad" if isinstance(goal, Pose) else "")
            within = " within the joint limits" if is_limited else ""
            yield f"no position was found at which {name} holds{within}: {goal.frame!r} comes to {away} from it"


def explain_weight(task: Task, steps: TrajectoryUnknowns) -> Iterator[str]:
    """Say what cannot hold the robot still at the start, or at a whole position that is a goal.

    No proof: a robot may swing through such a position.
    """
    limits = [(name, i) for name, i in task.items() if isinstance(i, EffortLimit) and i.sigma is None]
    robot, drive = task.robot, steps.drive
    if not limits or task.contacts or not robot.has_frames:
        return
    stands = [("at the start", complete_position(robot, task.start)[0])] if task.start is not None else []
    for name, goal in task.items():
        if isinstance(goal, Position) and goal.sigma is None:
            q, joints = complete_position(robot, goal.at)
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
