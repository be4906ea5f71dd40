"""How random tasks are drawn: from rest to rest, with little effort, within 0.4 rad of the neutral position."""

from __future__ import annotations

import numpy as np

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import Robot
from screwgraph.model.robot.kinematics import frame_pose
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Point, Pose, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.obstacles import Avoid

FAR, SECONDS, STEPS = 0.4, 2.0, 20
COSTS = (Effort(1.0),)
TRIES = 100
FEET = {
    "solo12": ("FR_FOOT", "FL_FOOT", "HR_FOOT", "HL_FOOT"),
    "a1": ("FR_foot", "FL_foot", "RR_foot", "RL_foot"),
    "laikago": ("FR_foot", "FL_foot", "RR_foot", "RL_foot"),
    "go1": ("FR_foot", "FL_foot", "RR_foot", "RL_foot"),
    "go2": ("FR_foot", "FL_foot", "RR_foot", "RL_foot"),
    "b1-z1": ("FR_foot", "FL_foot", "RR_foot", "RL_foot"),
    "anymal": ("RF_FOOT", "LF_FOOT", "RH_FOOT", "LH_FOOT"),
    "hyq_no_sensors": ("rf_foot", "lf_foot", "rh_foot", "lh_foot"),
}
KNEES = {"thigh_joint": 0.8, "calf_joint": -1.6, "hfe": 0.7, "kfe": -1.4}
"""Angles (rad) of a standing robot, by the end of a joint's name."""


def joint_goal(robot: Robot, rng: np.random.Generator) -> Task:
    """All joints have goals; of closed chains the independent ones, which have the motors."""
    start, goal = _ends(robot, rng)
    free = robot.independent_joints if robot.is_closed else None
    wanted = goal if free is None else {name: goal[robot.q_slices[name]] for name in free}
    goals = (Position(wanted), Velocity())
    return Task(robot, horizon(STEPS, duration=SECONDS), start, goals=goals, costs=COSTS, actuated=free)


def pose_goal(robot: Robot, rng: np.random.Generator) -> Task:
    """The last link has a pose as its goal."""
    start, goal = _ends(robot, rng)
    goals = (Pose(last_link(robot), of=goal), Velocity())
    return Task(robot, horizon(STEPS, duration=SECONDS), start, goals=goals, costs=COSTS)


def past_an_obstacle(robot: Robot, rng: np.random.Generator) -> Task:
    """A ball on the last link must go past a sphere that is on, or near, the straight way."""
    tip = robot.frame(last_link(robot))
    for _ in range(TRIES):
        start, goal = _ends(robot, rng)
        a, b, middle = (frame_pose(robot, tip, q)[:3, 3] for q in (start, goal, 0.5 * (start + goal)))
        way = float(np.linalg.norm(b - a))
        centre = middle + way * rng.uniform(-0.1, 0.1, 3)
        if way > 0.05 and min(np.linalg.norm(a - centre), np.linalg.norm(b - centre)) > 0.27 * way:
            break
    else:
        raise InputError(f"no random way of {robot.name!r} has room for an obstacle")
    ball, sphere = BodySphere(tip.name, radius=0.05 * way), Sphere(tuple(centre.tolist()), 0.2 * way)
    goals, obstacles = (Position(goal), Velocity()), (Avoid((sphere,), (ball,)),)
    return Task(robot, horizon(STEPS, duration=SECONDS), start, goals=goals, costs=COSTS, obstacles=obstacles)


def limited(robot: Robot, rng: np.random.Generator) -> Task:
    """Efforts and velocities are at most 0.9 to 1.6 times those of the cubic way, whose velocity peaks at 1.5 means.

    Where both factors are at least 1, the cubic way itself keeps them.
    """
    start, goal = _ends(robot, rng)
    part = np.linspace(0.0, 1.0, 2 * STEPS + 1)[:, None]
    way = goal - start
    q, qd = start + way * part**2 * (3.0 - 2.0 * part), 6.0 * way * part * (1.0 - part) / SECONDS
    tau = np.abs(sg.inverse_dynamics(robot)(q, qd, (6.0 - 12.0 * part) * way / SECONDS**2)).max(axis=0)
    most = [np.maximum(x, 0.05 * x.max()) for x in (tau, np.abs(qd).max(axis=0))]
    effort, velocity = (rng.uniform(0.9, 1.6) * x for x in most)
    bounds = [{j.name: float(x[robot.v_slices[j.name]][0]) for j in robot.joints} for x in (effort, velocity)]
    limits = EffortLimit(bounds[0]), VelocityLimit(bounds[1])
    goals = (Position(goal), Velocity())
    return Task(robot, horizon(STEPS, duration=SECONDS), start, goals=goals, costs=COSTS, limits=limits)


def on_its_feet(robot: Robot, rng: np.random.Generator) -> Task:
    """A floating robot on point feet moves its base by up to 2 cm along each axis, in half a second."""
    q, (floating, *joints) = robot.neutral(), robot.joints
    for joint in joints:
        angle = next((a for end, a in KNEES.items() if end in joint.name.lower()), 0.0)
        q[robot.q_slices[joint.name]] = -angle if joint.name.startswith(("lh", "rh")) else angle
    contacts = tuple(
        PointContact(foot, ground=float(frame_pose(robot, robot.frame(foot), q)[2, 3])) for foot in _feet(robot)
    )
    base = robot.frame(floating.child)
    there = frame_pose(robot, base, q)[:3, 3] + rng.uniform(-0.02, 0.02, 3)
    goals = (Point(base.name, there), Velocity())
    return Task(robot, horizon(10, duration=0.5), q, goals=goals, costs=COSTS, contacts=contacts, guess="stay")


def _ends(robot: Robot, rng: np.random.Generator) -> list[np.ndarray]:
    return [_closed(robot, rng) if robot.is_closed else near(robot.neutral(), FAR, rng) for _ in range(2)]


def near(q: np.ndarray, far: float, rng: np.random.Generator) -> np.ndarray:
    """Return a random position, so far (rad, m) away at most in each joint."""
    return q + rng.uniform(-far, far, q.size)


def _closed(robot: Robot, rng: np.random.Generator) -> np.ndarray:
    """Return a position at which all loops close."""
    middle = np.concatenate([robot.neutral()[robot.q_slices[name]] for name in robot.independent_joints])
    for _ in range(TRIES):
        try:
            return robot.complete(near(middle, FAR, rng))
        except InputError:  # the loops do not close there
            continue
    raise InputError(f"no closed position of {robot.name!r} was found")


def _feet(robot: Robot) -> tuple[str, ...]:
    return next(feet for feet in FEET.values() if set(feet) <= {f.name for f in (*robot.frames, *robot.links)})


def last_link(robot: Robot) -> str:
    """Return the link with the most joints between it and the base."""
    depth = {robot.links[0].name: 0}
    for joint in robot.joints:
        depth[joint.child] = depth.get(joint.parent, 0) + (joint.type.nv > 0)
    return max(depth, key=lambda link: depth[link])
