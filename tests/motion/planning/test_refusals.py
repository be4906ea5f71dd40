"""Random tasks that cannot be done, of strangers' robots: each is refused before a search, in words, with units."""

import re

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot.kinematics import frame_pose
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Pose, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.obstacles import Avoid
from tests.motion.planning.collection.draws import FAR, SECONDS, last_link, near
from tests.motion.planning.collection.kinds import ARMS, ZOO
from tests.robots import robot_file

BALL = 0.01


def weak(robot, start, goal):
    """Torques are a tenth of the largest that holds the robot at its start."""
    hold = np.abs(sg.inverse_dynamics(robot)(start, np.zeros(robot.nv), np.zeros(robot.nv))).max()
    return {"goals": (Position(goal), Velocity()), "limits": (EffortLimit(0.1 * hold),)}


def slow(robot, start, goal):
    """Velocities are half the mean ones."""
    most = 0.5 * np.abs(goal - start).max() / SECONDS
    return {"goals": (Position(goal), Velocity()), "limits": (VelocityLimit(most),)}


def far(robot, start, goal):
    """The last link is to come 50 m away."""
    T = frame_pose(robot, robot.frame(last_link(robot)), goal)
    T[:3, 3] = [30.0, 0.0, 40.0]
    return {"goals": (Pose(last_link(robot), T), Velocity())}


def occupied(robot, start, goal):
    """A sphere is where a ball on the last link is to go."""
    tip = last_link(robot)
    place = frame_pose(robot, robot.frame(tip), goal)[:3, 3]
    obstacle = Avoid((Sphere(tuple(place.tolist()), BALL),), (BodySphere(tip, radius=BALL),))
    return {"goals": (Pose(tip, of=goal), Velocity()), "obstacles": (obstacle,)}


KINDS = {
    weak: r"holding still at the start takes a torque of .* N m of joint '.*', limit 1 is .* N m",
    slow: r"takes joint '.*' 4 s at its largest velocity, and is due in 2 s \(limit .* rad/s\)",
    far: r"out of reach: .* m from \(.*\), where '.*' comes at most .* m",
    occupied: rf"a sphere on '.*' is {2 * BALL:g} m too near to sphere 1 there",
}


SHORT = {("kinova", kind) for kind in KINDS} | {("baxter", weak)}
"""Baxter's fingers are coupled, and slide without limits: they reach any point."""
CASES = [
    pytest.param(name, kind, marks=() if (name, kind) in SHORT else pytest.mark.suite, id=f"{name}-{kind.__name__}")
    for name, kinds in {**dict.fromkeys(ARMS, KINDS), "baxter": (weak, slow, occupied)}.items()
    for kind in kinds
]


@pytest.mark.parametrize(("name", "kind"), CASES)
@pytest.mark.sampled(4)
def test_the_reason_is_named_before_a_search(name, kind):
    robot, rng = sg.load(name if name in ZOO else robot_file(f"{name}.urdf")), np.random.default_rng(1)
    ends = [near(robot.neutral(), FAR, rng) for _ in range(2)]
    start, goal = map(robot.close_loops, ends) if robot.is_closed else ends
    made = Task(robot, horizon(20, duration=SECONDS), start, costs=(Effort(),), **kind(robot, start, goal))
    plan = Planner(made).solve()
    assert not plan.feasible
    assert plan.iterations == 0
    assert re.search(KINDS[kind], plan.reason), plan.reason
