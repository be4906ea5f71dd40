"""Obstacles on the way between points: nothing is jumped over, by dense sampling of the planned motion."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.motion.planning import Plan, Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Box, Sphere
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.obstacles import Avoid, AvoidItself
from screwgraph.motion.planning.obstacles.swept_spheres import find_swept_contacts, select_clearance_factors

HALF = np.array([0.1, 0.3])
"""Of a wall about the origin (m)."""
RADIUS = 0.01


def gantry():
    """Two prismatic joints, x and y, of 1 kg each."""
    inertia = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    link = f'<link name="{{0}}"><inertial><mass value="1"/>{inertia}</inertial></link>'
    joint = (
        '<joint name="{1}" type="prismatic"><parent link="{0}"/><child link="{1}"/><axis xyz="{2}"/>'
        '<limit lower="-5" upper="5" effort="1e4" velocity="100"/></joint>'
    )
    parts = [link.format("x"), link.format("y"), joint.format("base", "x", "1 0 0"), joint.format("x", "y", "0 1 0")]
    return f'<robot name="gantry"><link name="base"/>{"".join(parts)}</robot>'


def crossing(tmp_path, collocation: str, y: tuple[float, float]) -> Task:
    """From x = -1 to x = 1 in 10 steps of 0.1 s, past a wall of 0.2 m, which lies between two points."""
    path = tmp_path / "gantry.urdf"
    path.write_text(gantry())
    wall = Box((0.0, 0.0, 0.0), (*(2.0 * HALF), 1.0))
    return Task(
        sg.load(path),
        horizon(10, dt=0.1),
        start=[-1.0, y[0]],
        goals=(Position([1.0, y[1]]), Velocity(0.0)),
        costs=(Effort(1.0),),
        obstacles=(Avoid((wall,), (BodySphere("y", radius=RADIUS),), between=1),),
        collocation=collocation,
    )


def clearance(plan: Plan) -> float:
    """Distance (m) of the ball from the wall, the least of 10001 times; negative within."""
    beyond = np.abs(plan.at(np.linspace(plan.t[0], plan.t[-1], 10001)).q) - HALF
    outside = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    return float((outside + np.minimum(beyond.max(axis=1), 0.0)).min()) - RADIUS


@pytest.mark.sampled(6)
@pytest.mark.parametrize("collocation", ["trapezoidal", "hermite_simpson", "radau"])
@pytest.mark.parametrize("y", [(0.11, -0.18), (0.15, 0.09)])
def test_no_plan_that_is_called_solved_goes_through_a_wall(tmp_path, collocation, y):
    plan = Planner(crossing(tmp_path, collocation, y)).solve()
    assert plan.converged, plan
    assert not plan.touches
    assert clearance(plan) > -1e-4


def test_a_jump_over_a_wall_is_found_and_told(tmp_path):
    task = crossing(tmp_path, "trapezoidal", (0.0, 0.0))
    planner = Planner(replace(task, obstacles=()))
    through = planner.solve()
    factors = select_clearance_factors(Planner(task).transcription.problem.factors)
    found = find_swept_contacts(factors, lambda t: through.at(t).q, through.t, np.full(10, 0.5))
    assert found
    for touch in found:
        x = through.at(touch.time).q
        inside = (HALF - np.abs(x)).min() + RADIUS
        assert touch.depth == pytest.approx(inside, abs=1e-6)
        assert through.t[touch.interval] <= touch.time <= through.t[touch.interval + 1]


@pytest.mark.parametrize(
    "avoid",
    [
        Avoid((Sphere((0.0, 0.0, 0.0), 0.05),), (BodySphere("y", radius=RADIUS),)),
        AvoidItself((BodySphere("base", radius=0.05), BodySphere("y", radius=RADIUS))),
    ],
    ids=["a ball in the world", "a ball of the robot"],
)
def test_a_jump_to_the_opposite_side_of_the_origin_is_found(tmp_path, avoid):
    """Points of time are at x = -1, -1/3, 1/3, 1: none is near the ball at the origin."""
    task = replace(crossing(tmp_path, "trapezoidal", (0.0, 0.0)), obstacles=(avoid,))
    factors = select_clearance_factors(Planner(task).transcription.problem.factors)
    through = lambda t: np.stack([2.0 * t - 1.0, 0.0 * t], axis=1)  # noqa: E731
    (touch,) = find_swept_contacts(factors, through, np.array([0.0, 1.0]), np.array([0.25]))
    assert 0.0 < touch.depth <= 0.05 + RADIUS
    assert touch.depth == pytest.approx(0.05 + RADIUS - abs(2.0 * touch.time - 1.0), abs=1e-6)


def test_a_motion_beside_an_obstacle_touches_nothing():
    """The tip of two rods runs round a ball at its own distance: certified without being asked at every time."""
    task = Task(
        sg.load("rr"),
        horizon(4, duration=1.0),
        start=(0.0, 0.0),
        goals=(Position((1.5, 0.0)), Velocity(0.0)),
        costs=(Effort(1.0),),
        obstacles=(Avoid((Sphere((0.0, 0.0, 0.0), 1.9),), (BodySphere("tool", radius=0.05),)),),
        dynamics=False,
        collocation="trapezoidal",
    )
    factors = select_clearance_factors(Planner(replace(task, costs=())).transcription.problem.factors)
    turning = lambda t: np.stack([1.5 * t, 0.0 * t], axis=1)  # noqa: E731
    assert find_swept_contacts(factors, turning, np.linspace(0, 1, 5), np.full(4, 0.4)) == []
    deeper = lambda t: np.stack([1.5 * t, 0.6 * np.exp(-(((t - 0.6) / 0.02) ** 2))], axis=1)  # noqa: E731
    (touch,) = find_swept_contacts(factors, deeper, np.linspace(0, 1, 5), np.full(4, 0.4))
    assert touch.interval == 2
