"""Obstacles where a joint must pass, beside closed forms: the elbow of two rods of 1 m runs on the unit circle."""

import numpy as np

import screwgraph as sg
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.mechanics import Mechanics
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.obstacles.blocked_joints import find_blocked_joints

START, GOAL, BALL = np.array([-0.3, 0.2]), np.array([0.4, -0.1]), 0.03


def beside(centre, radius: float, link: str = "link2") -> Task:
    """From rest to rest past a sphere, with a ball on a link: `link2` begins at the elbow."""
    goals, obstacles = (
        (Position(GOAL), Velocity()),
        (Avoid((Sphere(centre, radius),), (BodySphere(link, radius=BALL),)),),
    )
    return Task(sg.load("rr"), horizon(10, duration=1.0), START, goals=goals, costs=(Effort(1.0),), obstacles=obstacles)


def nearest(centre) -> float:
    """Return how near (m) the elbow comes to a point, on its way from start to goal."""
    turned = np.linspace(START[0], GOAL[0], 10001)
    elbow = np.stack([np.cos(turned), np.sin(turned), 0.0 * turned], axis=1)
    return float(np.linalg.norm(elbow - centre, axis=1).min())


def test_obstacles_on_the_circle_of_the_elbow_bar_its_way():
    rng, found, mechanics = np.random.default_rng(0), [], Mechanics(sg.load("rr"))
    for _ in range(40):
        angle, radius = rng.uniform(-0.6, 0.7), rng.uniform(0.02, 0.1)
        centre = (*(rng.uniform(0.85, 1.15) * np.array([np.cos(angle), np.sin(angle)])).tolist(), 0.0)
        depth = radius + BALL - nearest(centre)
        if abs(depth) > 1e-3:
            found.append(depth > 0.0)
            assert bool(list(find_blocked_joints(beside(centre, radius), mechanics))) == found[-1]
    assert 5 < sum(found) < len(found) - 5


def test_a_barred_task_is_refused_at_once_with_the_reason():
    plan = Planner(beside((1.0, 0.0, 0.0), 0.1)).solve()
    assert plan.status == "infeasible"
    assert plan.iterations == 0
    assert "obstacle 1: between -0.3 and 0.4 rad of joint 'joint1'" in plan.reason
    assert "a sphere on 'link2'" in plan.reason


def test_what_several_joints_move_may_go_round():
    assert not list(find_blocked_joints(beside((1.6, 0.0, 0.0), 0.1, "tool"), Mechanics(sg.load("rr"))))
