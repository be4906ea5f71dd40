"""Motions with known answers."""

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

import screwgraph as sg
from screwgraph.model.robot import constraint_residual
from screwgraph.motion.planning import Phase, Task, horizon
from screwgraph.motion.planning.costs import Acceleration, Effort, Path, Smoothness, Time
from screwgraph.motion.planning.goals import Point, Pose, Position, Velocity
from screwgraph.motion.planning.limits import AccelerationLimit, EffortLimit, PositionLimit, VelocityLimit
from screwgraph.motion.planning.transcription.problem import transcribe
from tests.motion.identification.motions import projected_torques

SLIDER = """
name: slider
bodies:
  - {link: slide, joint: x, type: prismatic, axis: x, mass: 2, limits: {lower: -1, upper: 3, velocity: 4, effort: 8}}
"""
PENDULUM = """
name: pendulum
bodies:
  - {link: rod, joint: pivot, axis: y, mass: 1.2, com: [0, 0, -0.4], inertia: [0.01, 0.02, 0.01]}
"""
BRICK = """
name: brick
bodies:
  - {link: brick, joint: free, type: floating, mass: 1.5, inertia: [0.02, 0.05, 0.06]}
"""


def robot(tmp_path, text):
    path = tmp_path / "robot.yaml"
    path.write_text(text)
    return sg.load(path)


@pytest.fixture
def slider(tmp_path):
    return robot(tmp_path, SLIDER)


@pytest.mark.parametrize("collocation", ["euler", "trapezoidal", "linear_acceleration", "hermite_simpson"])
def test_least_effort_from_rest_to_rest_is_the_cubic(slider, collocation):
    task = Task(
        slider,
        horizon(80, duration=2.0),
        start=[0.0],
        goals=(Position([1.0]), Velocity()),
        costs=(Effort(0.5),),
        collocation=collocation,
    )
    plan = sg.plan(task)
    s, off = plan.t / 2.0, 0.75 * plan.t[1] if collocation == "euler" else 2e-4  # a step at the top speed
    assert plan.q[:, 0] == pytest.approx(3 * s**2 - 2 * s**3, abs=off)
    assert plan.cost == pytest.approx(0.5 * 4 * 12 / 8, rel=2e-3)  # m^2 12 d^2 / T^3, half of it


def test_least_time_is_full_thrust_then_full_brake(slider):
    phase = Phase(60, 1.0, shortest=0.1, longest=5.0)
    task = Task(
        slider, (phase,), start=[0.0], goals=(Position([1.0]), Velocity()), costs=(Time(),), limits=(EffortLimit(),)
    )
    plan = sg.plan(task)
    assert plan.solved
    assert plan.t[-1] == pytest.approx(2.0 * np.sqrt(1.0 / 4.0), rel=2e-3)
    assert plan.cost == pytest.approx(plan.t[-1], rel=1e-9)


def test_limits_hold_hard_and_as_hinges(slider):
    goals, costs = (Position([2.0]), Velocity()), (Acceleration(),)
    limits = (VelocityLimit(1.2), AccelerationLimit(4.0), PositionLimit({"x": (-0.5, 2.0)}))
    hard = sg.plan(Task(slider, horizon(50, dt=0.05), start=[0.0], goals=goals, costs=costs, limits=limits))
    assert hard.solved
    assert 1.199 < hard.qd.max() < 1.2 + 1e-6
    hinged = (VelocityLimit(1.19, sigma=1e-2),)  # the parabola without it peaks at 1.2
    soft = sg.plan(Task(slider, horizon(50, dt=0.05), start=[0.0], goals=goals, costs=costs, limits=hinged))
    assert soft.solved
    assert 1.19 < soft.qd.max() < 1.199


def test_the_prior_of_constant_velocity_costs_what_its_integral_does(slider):
    task = Task(
        slider,
        horizon(20, duration=2.0),
        start=[0.0],
        goals=(Position([1.0]), Velocity()),
        costs=(Smoothness(0.5, "velocity"),),
        collocation="none",
        dynamics=False,
    )
    plan = sg.plan(task)
    assert plan.cost == pytest.approx(0.5 / 0.5 * 12 / 8, rel=1e-9)  # half the integral of qdd^2 / Qc
    s = plan.t / 2.0
    assert plan.q[:, 0] == pytest.approx(3 * s**2 - 2 * s**3, abs=1e-9)


def test_a_thrown_brick_flies_and_tumbles_as_euler_says(tmp_path):
    brick = robot(tmp_path, BRICK)
    velocity = np.array([2.0, 5.0, 0.3, 1.0, 0.0, 3.0])
    task = Task(brick, horizon(100, dt=0.005), start=brick.neutral(), start_velocity=velocity, guess="stay")
    plan = sg.plan(task)
    assert plan.solved
    moments = np.array([0.02, 0.05, 0.06])

    def rate(t, x):
        w, turned = x[:3], Rotation.from_quat(x[3:7])
        quaternion = 0.5 * (turned * Rotation.from_quat([*w, 0.0])).as_quat(canonical=False) * np.linalg.norm(w)
        return np.concatenate([-np.cross(w, moments * w) / moments, quaternion])

    found = solve_ivp(rate, (0.0, 0.5), [*velocity[:3], 0, 0, 0, 1], rtol=1e-10, atol=1e-10)
    turned = Rotation.from_quat(found.y[3:, -1]).inv() * Rotation.from_quat(plan.q[-1, 3:])
    assert turned.magnitude() < 2e-3
    assert plan.qd[-1, :3] == pytest.approx(found.y[:3, -1], abs=3e-3)
    ballistic = velocity[3:] * 0.5 + np.array([0.0, 0.0, -0.5 * 9.81 * 0.25])
    assert plan.q[-1, :3] == pytest.approx(ballistic, abs=2e-3)


def test_frames_reach_points_and_poses():
    rrr = sg.load("rrr")
    frame = rrr.links[-1].name
    wanted = np.array([0.3, -0.4, 0.7])
    common = {"start": [0.1, 0.2, 0.3], "costs": (Acceleration(),), "dynamics": False}
    pose = sg.plan(Task(rrr, horizon(20, dt=0.05), goals=(Pose(frame, of=wanted), Velocity()), **common))
    assert pose.solved
    place = pose.transcription.steps.mechanics.pose_of(frame)
    reached, target = np.asarray(place(pose.q[-1])), np.asarray(place(wanted))
    assert reached == pytest.approx(target, abs=1e-6)
    point = sg.plan(Task(rrr, horizon(20, dt=0.05), goals=(Point(frame, target[:3, 3]), Velocity()), **common))
    assert np.asarray(place(point.q[-1]))[:3, 3] == pytest.approx(target[:3, 3], abs=1e-6)


def test_phases_meet_and_their_efforts_may_jump(slider):
    phases = (Phase(10, 0.5, "one"), Phase(20, 1.5, "two"))
    plan = sg.plan(
        Task(
            slider,
            phases,
            start=[0.0],
            goals=(Position([1.0]), Velocity()),
            costs=(Effort(0.5),),
            collocation="trapezoidal",
        )
    )
    assert plan.t[[0, 10, 30]] == pytest.approx([0.0, 0.5, 2.0])
    assert plan.cost == pytest.approx(0.5 * 4 * 12 / 8, rel=5e-3)
    assert plan.values["tau"].shape == (32, 1)


def test_all_twists_and_wrenches_as_unknowns_give_the_same_motion(tmp_path):
    pendulum = robot(tmp_path, PENDULUM)
    common = {"start": [0.0], "goals": (Position([2.0]), Velocity()), "costs": (Effort(),)}
    eliminated, full = (
        sg.plan(Task(pendulum, horizon(20, dt=0.05), **common, dynamics=dynamics)) for dynamics in (True, "graph")
    )
    assert eliminated.solved
    assert full.solved
    assert full.cost == pytest.approx(eliminated.cost, rel=1e-7)
    assert full.q == pytest.approx(eliminated.q, abs=1e-5)
    assert full.values["wrench rod"].shape == (40, 6)


@pytest.mark.suite
def test_a_closed_chain_stays_closed_and_moves_as_forward_dynamics_says():
    linkage = sg.load("four_bar_linkage")
    q0 = linkage.close_loops(np.zeros(3))
    goals = (Position({"joint1": q0[0] + 0.5}), Velocity({"joint1": 0.0}))
    common = {"goals": goals, "costs": (Effort(),), "actuated": ("joint1",), "guess": "stay"}
    plan, full = (
        sg.plan(Task(linkage, horizon(50, duration=1.0), start=q0, **common, dynamics=dynamics))
        for dynamics in (True, "graph")
    )
    assert plan.solved
    assert full.solved
    assert full.cost == pytest.approx(plan.cost, rel=1e-6)
    assert full.q == pytest.approx(plan.q, abs=1e-5)
    assert max(np.abs(constraint_residual(linkage, q)).max() for q in plan.q) < 2e-5
    efforts = projected_torques(linkage, plan.q, plan.qd, plan.qdd)  # by Pinocchio's tree
    assert efforts == pytest.approx(plan.tau[:, :1], abs=1e-3 * np.abs(plan.tau).max())


def test_a_path_costs_from_its_first_time_to_its_last(slider):
    """A slide at x beside straight pieces through 0.2, 0.5 and 0.9 s: 2.5 times h times the sum of squares."""
    times, points, x, h = np.array([0.2, 0.5, 0.9]), np.array([[0.1, 0, 0], [0.7, 0, 0], [0.3, 0.4, 0]]), 0.25, 0.1
    costs = (Path(times, points, "slide", 2.5),)
    task = Task(slider, horizon(10, duration=1.0), start=[x], costs=costs, collocation="euler")
    transcription = transcribe(task)
    problem, steps = transcription.problem, transcription.steps
    values = {f.name: np.zeros((f.count, *f.manifold.shape)) for f in problem.layout.families}
    found = problem.assembly.costs(problem.layout.pack(values | {"q": np.full((len(steps.times), 1), x)}))
    (cost,) = (value for name, value in found.items() if name.endswith("path"))
    at = np.arange(2, 10) * h
    off = np.array([np.interp(at, times, p) for p in points.T]) - [[x], [0.0], [0.0]]
    assert cost == pytest.approx(2.5 * h * (off**2).sum(), rel=1e-12)
