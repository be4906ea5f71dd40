"""Tasks that cannot be solved say why, in the user's terms; tasks that nearly cannot are solved."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from scipy.special import ellipk

import screwgraph as sg
from screwgraph.model.robot import Coupling, with_gravity
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.collision import BodySphere, Sphere
from screwgraph.motion.planning.contacts import FlatContact
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Point, Pose, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.planning.obstacles import Avoid
from screwgraph.motion.planning.search.infeasibility import explain_weight, prove_infeasible

REST = Velocity()
BALL = (BodySphere("tool", radius=0.1),)
NEAR, FAR = Sphere((0.5, 1.1, 0.0), 0.05), Sphere((1.5, 1.2, 0.0), 0.1)


def task(goal, **more):
    """Two rods of 1 m in a plane."""
    robot = with_gravity(sg.load("rr"), (0.0, -9.81, 0.0))
    return Task(robot, horizon(10, duration=1.0), [0.1, 0.3], goals=(goal, REST), costs=(Effort(),), **more)


@pytest.mark.parametrize(
    ("made", "reason"),
    [
        (task(Point("tool", (1.8, 1.0), axes="xy")), None),
        (task(Point("tool", (1.8, 1.0, 0.0))), "out of reach: 2.06 m from (0, 0, 0), where 'tool' comes at most 2 m"),
        (task(Position([1.1, 0.3]), limits=(VelocityLimit(0.9),)), "joint 'joint1' 1.11 s at its largest velocity"),
        (task(Point("tool", (0.5, 1.0, 0.0)), obstacles=(Avoid((NEAR,), BALL),)), "0.05 m too near to sphere 1"),
        (task(Pose("tool", of=(0.4, 0.6)), obstacles=(Avoid((FAR,), BALL),)), "too near to sphere 1"),
    ],
)
def test_proofs_need_no_search(made, reason):
    plan = Planner(made).solve(iterations=1)
    if reason is None:
        assert "out of reach" not in plan.reason
        return
    assert plan.status == "infeasible"
    assert plan.iterations == 0
    assert reason in plan.reason


def test_what_is_just_possible_is_not_refused():
    for made in (
        task(Point("tool", (1.2, 1.6 - 1e-9, 0.0))),
        task(Position([1.1, 0.3]), limits=(VelocityLimit(1.0),)),
        task(Point("tool", (0.5, 1.0, 0.0)), obstacles=(Avoid((Sphere((0.5, 1.151, 0.0), 0.05),), BALL),)),
    ):
        assert not list(prove_infeasible(made, Planner(made).transcription.steps))


@pytest.mark.parametrize(("friction", "slips"), [(0.70, True), (0.80, False)])
def test_a_sole_slips_on_slopes_beyond_its_friction(friction, slips):
    """Gravity turned by atan(0.75)."""
    robot = sg.load(Path(__file__).with_name("monopod.yaml"), base="floating")
    robot = with_gravity(robot, (0.6 * 9.81, 0.0, -0.8 * 9.81))
    q = robot.neutral()
    q[2] = 0.5 + 0.04
    contact = FlatContact("sole", 0.12, 0.06, friction=friction)
    made = Task(robot, horizon(4, dt=0.05), q, goals=(REST,), costs=(Effort(),), contacts=(contact,))
    found = list(prove_infeasible(made, Planner(replace(made, costs=())).transcription.steps))
    assert len(found) == slips
    assert all("gravity is 36.9 deg from their normal, and friction holds up to 35 deg" in text for text in found)


def test_weight_that_torques_cannot_hold_is_a_reason_with_units():
    """Masses of 1 kg at the ends of both rods: the first joint holds up to 3 m g."""
    made = task(Position([0.2, 0.2]), limits=(EffortLimit(2.0),))
    plan = Planner(made).solve()
    assert not plan.feasible
    assert plan.iterations == 0
    assert "no smooth motion was found that keeps limit 1" in plan.reason
    assert "holding still at the start takes a torque of" in plan.reason
    assert "N m of joint 'joint1', limit 1 is 2 N m" in plan.reason
    assert "is off by" not in plan.reason
    tau = sg.inverse_dynamics(made.robot)(np.array([0.1, 0.3]), np.zeros(2), np.zeros(2))
    assert f"{abs(tau[0]):.3g} N m" in plan.reason


def test_coupled_joints_share_the_weight():
    """Turned by twice the angle of the first rod, the second one's motor is worth two of the first.

    Where b1 tau1 + b2 tau2 = w, with b = (1, 2), the least of the larger torque is w / 3.
    """
    robot = with_gravity(sg.load("rr"), (0.0, -9.81, 0.0))
    robot = replace(robot, couplings=(Coupling("belt", {"joint2": 1.0, "joint1": -2.0}),))
    start, goal = np.array([0.1, 0.2]), np.array([0.3, 0.6])
    (w1, w2) = sg.inverse_dynamics(with_gravity(sg.load("rr"), (0.0, -9.81, 0.0)))(start, np.zeros(2), np.zeros(2))
    least = (w1 + 2.0 * w2) / 3.0
    made = Task(robot, horizon(10, duration=1.0), start, goals=(Position(goal), REST), costs=(Effort(),))
    weak = Planner(replace(made, limits=(EffortLimit(0.5 * least),))).solve()
    assert weak.iterations == 0
    assert f"holding still at the start takes a torque of {least:.3g} N m of joint 'joint1'" in weak.reason
    steps = Planner(made).transcription.steps
    assert not list(explain_weight(replace(made, limits=(EffortLimit(1.01 * least),)), steps))
    assert list(explain_weight(replace(made, limits=(EffortLimit(0.99 * least),)), steps))


def pendulum(tmp_path, angle, duration, part, goal):
    """A point mass on a rod of 1 m, at rest at an angle from below, whose motor holds a part of the weight there."""
    path = tmp_path / "pendulum.yaml"
    path.write_text(
        "bodies: [{link: rod, joint: pivot, axis: y, mass: 1, com: [0, 0, -1], inertia: [1.e-9, 1.e-9, 1.e-9]}]"
    )
    robot = sg.load(path)
    most = part * 9.80665 * np.sin(angle)
    limits, goals = (EffortLimit(most),), (Position([goal]), REST)
    return Task(robot, horizon(20, duration=duration), [angle], goals=goals, costs=(Effort(),), limits=limits)


@pytest.mark.parametrize(("swings", "end"), [(1, -1.0), (2, 1.0)])
def test_a_motor_that_cannot_hold_a_pendulum_lets_it_swing(tmp_path, swings, end):
    """Half a period of the pendulum, by the complete elliptic integral, leads to the other side; a whole one back."""
    angle = np.pi / 2
    half = 2.0 * ellipk(np.sin(angle / 2) ** 2) / np.sqrt(9.80665)
    plan = Planner(pendulum(tmp_path, angle, swings * half, 0.05, end * angle)).solve()
    assert plan.solved, plan
    assert np.abs(plan.q).max() == pytest.approx(angle, abs=0.05)


def test_a_pendulum_is_not_faster_than_gravity(tmp_path):
    """In 0.7 of half a period its mean velocity is 1.4 times that of free motion."""
    angle = np.pi / 2
    half = 2.0 * ellipk(np.sin(angle / 2) ** 2) / np.sqrt(9.80665)
    plan = Planner(pendulum(tmp_path, angle, 0.7 * half, 0.05, -angle)).solve()
    assert plan.status == "not feasible: stalled"
    assert plan.iterations == 0
    assert "N m of joint 'pivot' at t =" in plan.reason
    assert "where 0.49 N m are allowed" in plan.reason


def test_a_goal_that_no_position_reaches_is_named_with_how_near_the_frame_comes():
    """The rods lie in the plane z = 0."""
    plan = Planner(task(Point("tool", (0.5, 0.5, 0.3)))).solve()
    assert plan.iterations == 0
    assert "no position was found at which goal 1 holds: 'tool' comes to 0.3 m from it" in plan.reason
