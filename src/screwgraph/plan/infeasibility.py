"""What may keep a plan from being found: goals out of reach or not in time, weight that torques cannot hold."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
from jaxtyping import Float

from screwgraph.plan.goals import Point, Pose, Position
from screwgraph.plan.goals.base import points_at
from screwgraph.plan.goals.position import whole_position
from screwgraph.plan.inverse_kinematics import quickest, slowest
from screwgraph.plan.limits import EffortLimit, VelocityLimit
from screwgraph.plan.limits.base import box, symmetric
from screwgraph.plan.steps import Steps
from screwgraph.plan.task import Task
from screwgraph.robot import Robot, units


def obstacles_in_time(task: Task, steps: Steps) -> Iterator[str]:
    """Say of each hard goal whether no position reaches it, or only such to which joints cannot move in time.

    Looked at from the task's start alone, where that is given; in time: at the largest velocities of the robot's file.
    """
    if task.start is None or steps.duration is not None:
        return
    q = whole_position(task.robot, task.start)[0]
    in_time = any(isinstance(i, VelocityLimit) and i.sigma is None and i.bounds is None for i in task.limits)
    for name, goal in task.items():
        if not isinstance(goal, Pose | Point | Position) or goal.sigma is not None:
            continue
        at, points = task.place(name), points_at(steps, goal.time)
        name = name if at is None else f"{name} ({at})"
        there = _reached(steps, goal, q) if len(points) == 1 else [q]
        if not there:
            yield f"no position was found at which {name} holds within the joint limits"
            continue
        (needed, joint), time = min(slowest(steps.mechanics, q, x) for x in there), steps.times[points[0]]
        if in_time and joint and needed > time:
            what = name if isinstance(goal, Position) else f"the nearest position found for {name}"
            yield f"{what} takes joint {joint!r} {needed:.3g} s at its largest velocity, and is due in {time:g} s"


def _reached(
    steps: Steps, goal: Pose | Point | Position, near: Float[np.ndarray, " nq"]
) -> list[Float[np.ndarray, " nq"]]:
    if not isinstance(goal, Position):
        return quickest(steps.mechanics, goal, near)
    robot, there = steps.mechanics.robot, near.copy()
    at, joints = whole_position(robot, goal.at)
    for joint in joints:
        there[robot.q_slices[joint]] = at[..., robot.q_slices[joint]]
    return [there]


def weights_to_hold(task: Task, steps: Steps) -> Iterator[str]:
    """Say which joints cannot hold the robot still at the start, or at a whole position that is a goal.

    No proof: a robot may swing through such a position.
    """
    limits = [(name, i) for name, i in task.items() if isinstance(i, EffortLimit) and i.sigma is None]
    if not limits or task.contacts or not isinstance(task.robot, Robot) or task.robot.is_closed:
        return
    stands = [("at the start", whole_position(task.robot, task.start)[0])] if task.start is not None else []
    for name, goal in task.items():
        if isinstance(goal, Position) and goal.sigma is None:
            q, joints = whole_position(task.robot, goal.at)
            stands += [(f"at {name}", q)] if q.ndim == 1 and set(joints) == set(task.robot.joint_names) else []
    for who, q in stands:
        zero = np.zeros(task.robot.nv)
        tau = np.asarray(steps.mechanics.efforts()(q, zero, zero), dtype=float)
        for name, limit in limits:
            lower, upper = box(steps.mechanics, limit.bounds, lambda joint: symmetric(joint.limits.effort), "effort")
            over = np.where(np.isin(np.arange(len(tau)), steps.actuated), np.maximum(tau - upper, lower - tau), -np.inf)
            c = int(over.argmax())
            if over[c] > 0.0:
                most, label = upper[c] if tau[c] > 0.0 else -lower[c], steps.mechanics.labels[c]
                unit = [u for joint in task.robot.joints for u in units(joint.type).effort][c]
                takes = f"holding still {who} takes {abs(tau[c]):.3g} {unit} of joint {label!r}"
                yield f"{takes}, {name} is {most:.3g} {unit}"
