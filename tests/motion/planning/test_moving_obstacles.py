"""Obstacles that move: clearances at fine times, by geometry and kinematics that are not the planner's."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.motion.planning import Phase, Planner, Task, horizon, read_task
from screwgraph.motion.planning.collision import BodySphere, Box, Capsule, Sphere, Waypoints
from screwgraph.motion.planning.collision.moving_frames import Delayed
from screwgraph.motion.planning.costs import Effort, Time
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.obstacles.swept_spheres import find_swept_contacts, select_clearance_factors
from screwgraph.ui.view import plan_scene
from tests.oracle import pinocchio_model

from .test_swept import gantry

pin = pytest.importorskip("pinocchio")
BALL, RADIUS = 0.15, 0.05
FINE = np.linspace(0.0, 1.0, 5001)


def make_task(tmp_path, motion, **fields) -> Task:
    """From x = -1 to x = 1 in 1 s, past a ball that moves."""
    (tmp_path / "gantry.urdf").write_text(gantry())
    ball = Avoid((Sphere((0.0, 0.0, 0.0), BALL),), (BodySphere("y", radius=RADIUS),), motion=motion)
    return Task(
        sg.load(tmp_path / "gantry.urdf"),
        horizon(10, dt=0.1),
        start=[-1.0, 0.0],
        goals=(Position([1.0, 0.0]), Velocity(0.0)),
        costs=(Effort(1.0),),
        obstacles=(ball,),
        **fields,
    )


def clearance(plan, motion) -> float:
    """The least distance of the two balls at fine times (m)."""
    way = plan.at(FINE).q
    centres = np.array([np.asarray(motion(t))[:3, 3] for t in FINE])
    assert np.abs(centres[:, 2]).max() == 0.0
    return float(np.linalg.norm(way - centres[:, :2], axis=1).min()) - BALL - RADIUS


@pytest.mark.parametrize("rule", ["trapezoidal", "radau"])
def test_a_ball_that_comes_across_is_let_by(tmp_path, rule):
    """It is in the middle when the robot would be; where it stood at the start, nothing is in the way."""
    crossing = Waypoints([0.0, 1.0], [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    task = make_task(tmp_path, crossing, collocation=rule)
    plan = sg.plan(task)
    assert plan.converged, plan
    assert not plan.touches
    assert clearance(plan, crossing) > -1e-4
    free = sg.plan(replace(task, obstacles=()))
    assert clearance(free, crossing) < -0.1
    assert np.abs(sg.plan(make_task(tmp_path, lambda t: crossing(0.0), collocation=rule)).q[:, 1]).max() < 1e-6


def test_a_ball_that_shoots_by_between_two_points_is_avoided(tmp_path):
    """It crosses the robot's way within 0.03 s, between the points at 0.5 and 0.55 s (and the position in between)."""
    fast = Waypoints([0.505, 0.52], [[0.05, -2.0, 0.0], [0.05, 2.0, 0.0]])
    task = make_task(tmp_path, fast, collocation="trapezoidal")
    at_points = sg.plan(replace(task, obstacles=()))
    assert clearance(at_points, fast) < -0.1
    assert min(np.linalg.norm(q - fast(t)[:2, 3]) for t, q in zip(at_points.t, at_points.q, strict=True)) > 1.0
    plan = sg.plan(task)
    assert plan.converged, plan
    assert not plan.touches
    assert clearance(plan, fast) > -1e-4


def test_a_ball_that_comes_and_goes_in_one_stretch_is_found(tmp_path):
    """Both ends of the stretch see it far away, at the same place."""
    there = Waypoints([0.5, 0.503, 0.506], [[0.0, 2.0, 0.0], [0.0, 0.0, 0.0], [0.0, 2.0, 0.0]])
    (factors, *_) = select_clearance_factors(Planner(make_task(tmp_path, there)).transcription.problem.factors)
    still = lambda t: np.zeros((len(t), 2))  # noqa: E731
    (touch,) = find_swept_contacts([factors], still, np.array([0.4, 0.6]), np.array([0.0]))
    distance = np.linalg.norm(there(touch.time)[:2, 3])
    assert touch.depth == pytest.approx(BALL + RADIUS - distance, abs=1e-6)
    assert touch.depth > 0.0


def test_a_bar_that_turns_is_kept_off_by_an_arm():
    """A bar turns about a point beside the arm; Pinocchio says where the arm's tip is."""
    arm, length, thick, ball = sg.load("rr"), 0.5, 0.05, 0.05
    hub = np.array([0.7, 0.0, 0.0])

    def turning(t):
        c, s = np.cos(2.0 * t), np.sin(2.0 * t)
        return np.array([[c, -s, 0.0, hub[0]], [s, c, 0.0, hub[1]], [0.0, 0.0, 1.0, hub[2]], [0.0, 0.0, 0.0, 1.0]])

    model, data = pinocchio_model(arm)
    tool = arm.frame("tool")
    mount = arm.frame(tool.link)
    ends = np.array([[-length, 0.0, 0.0], [length, 0.0, 0.0]])
    bar = Avoid((Capsule(ends[0], ends[1], thick),), (BodySphere("tool", radius=ball),), motion=turning)
    task = Task(
        arm,
        horizon(12, duration=1.0),
        start=[0.4, 0.3],
        goals=(Position([-1.6, 0.5]), Velocity(0.0)),
        costs=(Effort(1.0),),
        obstacles=(bar,),
    )

    def least(plan) -> float:
        found = []
        for t, q in zip(FINE, plan.at(FINE).q, strict=True):
            pin.forwardKinematics(model, data, q)
            tip = data.oMi[model.njoints - 1].homogeneous @ np.linalg.inv(mount.T_lf) @ tool.T_lf @ [0, 0, 0, 1]
            a, b = (turning(t)[:3, :3] @ e + hub for e in ends)
            part = np.clip((tip[:3] - a) @ (b - a) / ((b - a) @ (b - a)), 0.0, 1.0)
            found.append(np.linalg.norm(tip[:3] - a - part * (b - a)))
        return min(found) - thick - ball

    plan, free = sg.plan(task), sg.plan(replace(task, obstacles=()))
    assert plan.converged, plan
    assert not plan.touches
    assert least(free) < -0.02
    assert least(plan) > -1e-4


def test_waypoints_are_passed_and_turned_through():
    way = Waypoints([1.0, 3.0], [[0.0, 0.0, 0.0], [1.0, 2.0, 3.0]], [[0.0, 0.0, 3.0], [0.0, 0.0, -3.0]])
    assert way(0.0) == pytest.approx(way(1.0))
    assert way(9.0) == pytest.approx(way(3.0))
    assert way(1.5)[:3, 3] == pytest.approx([0.25, 0.5, 0.75])
    middle = way(2.0)[:3, :3]
    assert middle == pytest.approx(np.diag([-1.0, -1.0, 1.0]), abs=1e-12), "by pi, on the shorter way"
    assert Delayed(way, 0.5)(1.0) == pytest.approx(way(1.5))
    assert Delayed(way, 0.5).corners == pytest.approx([0.5, 2.5])


def test_a_planner_that_steps_on_sees_the_obstacle_where_it_is_by_then(tmp_path):
    crossing = Waypoints([0.0, 1.0], [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    planner = Planner(make_task(tmp_path, crossing, collocation="trapezoidal"))
    first = planner.solve()
    plan = planner.step(3)
    assert plan.feasible, plan
    later = Delayed(crossing, float(first.t[3]))
    times = np.linspace(0.0, 0.7, 2001)
    apart = [np.linalg.norm(q - later(t)[:2, 3]) for t, q in zip(times, plan.at(times).q, strict=True)]
    assert min(apart) - BALL - RADIUS > -1e-4


def test_given_positions_are_looked_at_at_their_times(tmp_path):
    away = Waypoints([0.0, 1.0], [[1.0, 0.0, 0.0], [1.0, 5.0, 0.0]])
    Planner(make_task(tmp_path, away))
    with pytest.raises(InputError, match=r"obstacle 1: at goal 1 a sphere on 'y' is 0.2 m inside sphere 1"):
        Planner(make_task(tmp_path, Waypoints([0.0, 1.0], [[1.0, 5.0, 0.0], [1.0, 0.0, 0.0]])))


@pytest.mark.parametrize(
    ("motion", "said"),
    [
        (7, "obstacle 1: expected a motion, got 7 .give a function of time to a pose"),
        (lambda t: np.zeros(3), "obstacle 1: the motion of an obstacle is no pose at t = 0.0"),
    ],
)
def test_what_is_no_motion_is_refused(tmp_path, motion, said):
    with pytest.raises(InputError, match=said) as caught:
        Planner(make_task(tmp_path, motion))
    assert "\n" not in str(caught.value)


def test_free_durations_have_no_clock(tmp_path):
    task = make_task(tmp_path, Waypoints([0.0], [[0.0, 3.0, 0.0]]))
    task = replace(task, phases=(Phase(5, 1.0, shortest=0.5, longest=2.0),), costs=(Time(1.0),))
    with pytest.raises(InputError, match="obstacle 1: obstacles move with the clock, and durations are free"):
        Planner(task)


FILE = """
robot: gantry.urdf
horizon: {steps: 10, dt: 0.1}
start: {position: [-1, 0]}
goals: [{time: end, position: [1, 0], velocity: 0}]
costs: {effort: 1}
obstacles:
  - avoid:
      shapes: [{box: {centre: [0, 0, 0], size: [0.2, 0.2, 1]}}]
      motion: {times: [0, 1], points: [[0, -1, 0], [0, 1, 0]], rpy: [[0, 0, 0], [0, 0, pi/2]]}
      spheres: [{link: y, radius: 0.05}]
"""


def test_files_have_waypoints(tmp_path):
    (tmp_path / "gantry.urdf").write_text(gantry())
    (tmp_path / "task.yaml").write_text(FILE)
    task = read_task(tmp_path / "task.yaml")
    plan = sg.plan(task)
    assert plan.converged, plan
    (obstacle,) = task.obstacles
    assert isinstance(obstacle, Avoid)
    assert isinstance(obstacle.shapes[0], Box)
    for t, q in zip(FINE, plan.at(FINE).q, strict=True):
        turn, centre = 0.5 * np.pi * t, np.array([0.0, -1.0 + 2.0 * t])
        R = np.array([[np.cos(turn), -np.sin(turn)], [np.sin(turn), np.cos(turn)]])
        beyond = np.abs(R.T @ (q - centre)) - 0.1
        assert np.linalg.norm(np.maximum(beyond, 0.0)) > 0.05 - 1e-4
    for old, new, said in (
        ("times: [0, 1]", "times: [1, 0]", "task.yaml:10: .*times of a motion must grow"),
        ("times: [0, 1]", "times: [0, 1, 2]", "task.yaml:10: .*a motion has 3 times, points of the shape"),
        ("times: [0, 1], ", "", "task.yaml:10: motion is a mapping: it must have times and points"),
        ("[0, 1, 0]]", "[0, 1]]", "task.yaml:10: .*it must be 3 numbers"),
        ("rpy:", "rot:", "task.yaml:10: .*there is no key 'rot'"),
    ):
        (tmp_path / "task.yaml").write_text(FILE.replace(old, new))
        with pytest.raises(ScrewgraphError, match=said) as caught:
            read_task(tmp_path / "task.yaml")
        assert "\n" not in str(caught.value)


def test_animations_show_the_obstacle_where_it_is(tmp_path):
    crossing = Waypoints([0.0, 1.0], [[0.0, -1.0, 0.0], [0.0, 1.0, 0.0]])
    scene = plan_scene(sg.plan(make_task(tmp_path, crossing, collocation="trapezoidal")), rate=5.0)
    (ball,) = (body for body in scene.bodies if body.name == "obstacle 1")
    assert ball.poses == pytest.approx(np.array([crossing(t) for t in scene.t]), abs=1e-12)
