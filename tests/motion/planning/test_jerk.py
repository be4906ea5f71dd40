"""Limits of jerk: rates of accelerations between points, and the fastest motions that they allow, in closed form."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ScrewgraphError
from screwgraph.motion.planning import Phase, Plan, Task, horizon, read_task
from screwgraph.motion.planning.costs import Effort, Time
from screwgraph.motion.planning.goals import Acceleration, Position, Velocity
from screwgraph.motion.planning.limits import AccelerationLimit, JerkLimit
from tests.oracle import pinocchio_model

pin = pytest.importorskip("pinocchio")
RAIL = """
name: rail
gravity: [0, 0, 0]
bodies:
  - {link: cart, joint: x, type: prismatic, axis: x, mass: 1}
"""
J, WAY = 40.0, 0.5
PHASE = Phase(16, 1.0, shortest=0.1, longest=5.0)
REST = (Velocity(0.0), Acceleration(0.0), Acceleration(0.0, "start"))


def rates(plan: Plan) -> np.ndarray:
    """Return differences of accelerations at 2001 times, over their times."""
    t = np.linspace(plan.t[0], plan.t[-1], 2001)
    return np.diff(plan.at(t).qdd, axis=0) / np.diff(t)[:, None]


def fastest(*limits, phases=(PHASE,)) -> Plan:
    task = Task(
        sg.load(RAIL),
        phases,
        start=[0.0],
        goals=(Position([WAY]), *REST),
        costs=(Time(1.0),),
        limits=limits,
        collocation="linear_acceleration",
    )
    return sg.plan(task)


def test_the_fastest_motion_from_rest_to_rest_has_four_pieces():
    """+J, -J, -J, +J, a quarter of the time each: d = J T^3 / 32."""
    plan = fastest(JerkLimit(J))
    assert plan.converged, plan
    assert plan.t[-1] == pytest.approx((32.0 * WAY / J) ** (1.0 / 3.0), rel=1e-6)
    assert np.abs(rates(plan)).max() == pytest.approx(J, rel=1e-6)


def test_the_fastest_motion_with_a_largest_acceleration_too():
    """Ramps of a/J, then a: d = a (t + a / J)(t + 2 a / J) for stretches t of constant acceleration."""
    a = 2.0
    ramp = a / J
    t = (-3.0 * ramp + np.sqrt(ramp**2 + 4.0 * WAY / a)) / 2.0
    plan = fastest(JerkLimit(J), AccelerationLimit(a), phases=(replace(PHASE, steps=64),))
    assert plan.converged, plan
    exact = 2.0 * t + 4.0 * ramp
    assert exact * (1.0 - 1e-6) < plan.t[-1] < exact * (1.0 + 1.0 / 64), "edges of the mesh are not where pieces meet"
    assert np.abs(rates(plan)).max() <= J * (1.0 + 1e-6)


def test_accelerations_do_not_jump_where_phases_meet():
    two = tuple(Phase(8, 0.5, shortest=0.1, longest=2.0) for _ in range(2))
    plan = fastest(JerkLimit(J), phases=two)
    assert plan.converged, plan
    assert plan.t[-1] == pytest.approx((32.0 * WAY / J) ** (1.0 / 3.0), rel=1e-5)


@pytest.mark.parametrize("rule", ["trapezoidal", "linear_acceleration", "hermite_simpson", "radau", "radau_5"])
def test_accelerations_of_an_arm_are_continuous_and_change_slowly(rule):
    """Torques that Pinocchio finds for them are continuous, too."""
    goals, limits = (Position([1.2, -0.6]), Velocity(0.0)), (JerkLimit({"joint1": 60.0, "joint2": 90.0}),)
    task = Task(sg.load("rr"), horizon(10, duration=1.0), start=[0.0, 0.0], goals=goals, costs=(Effort(1.0),))
    free, plan = (sg.plan(replace(task, collocation=rule, limits=some)) for some in ((), limits))
    assert plan.converged, plan
    assert (np.abs(rates(plan)).max(axis=0) <= np.array([60.0, 90.0]) * (1.0 + 1e-6)).all()
    assert np.abs(rates(free)).max() > 100.0
    assert plan.cost > free.cost
    model, data = pinocchio_model(task.robot)
    t = np.linspace(0.0, 1.0, 2001)
    tau = np.array([pin.rnea(model, data, *state) for state in zip(*plan.at(t)[:3], strict=True)])
    assert np.abs(np.diff(tau, axis=0)).max() < 0.02 * np.abs(tau).max()


def test_a_soft_limit_is_exceeded_by_little():
    goals = (Position([1.2, -0.6]), Velocity(0.0))
    task = Task(sg.load("rr"), horizon(10, duration=1.0), start=[0.0, 0.0], goals=goals, costs=(Effort(1.0),))
    most = [np.abs(rates(sg.plan(replace(task, limits=(JerkLimit(60.0, sigma=s),))))).max() for s in (30.0, 3.0)]
    assert most[0] > most[1] > 60.0
    assert most[1] < 63.0


@pytest.mark.parametrize(
    ("limit", "rule", "said"),
    [
        (JerkLimit(), "radau", "limit 1: files of robots have no jerk limits .give numbers: jerk: 100"),
        (JerkLimit(-1.0), "radau", "jerk limit -1: one number b means -b to b"),
        (JerkLimit({"elbow": 1.0}), "radau", "limit 1: .*'elbow'"),
        (JerkLimit(1.0), "held", "collocation 'held' has no jerk that could be limited: torques, and with them acc"),
        (JerkLimit(1.0), "euler", "collocation 'semi_implicit' has no jerk that could be limited"),
        (JerkLimit(1.0), "none", "no rule joins its points"),
    ],
)
def test_what_cannot_be_limited_is_refused(limit, rule, said):
    dynamics = rule != "none"
    task = Task(sg.load("rr"), horizon(4, dt=0.1), start={}, limits=(limit,), collocation=rule, dynamics=dynamics)
    with pytest.raises(InputError, match=said) as caught:
        sg.plan(task)
    assert "\n" not in str(caught.value)


FILE = """
robot: rr
horizon: {steps: 10, duration: 1}
start: {position: [0, 0]}
goals: [{time: end, position: [1.2, -0.6], velocity: 0}]
costs: {effort: 1}
limits: {jerk: {joint1: 60}}
collocation: linear_acceleration
"""


def test_files_name_it(tmp_path):
    file = tmp_path / "task.yaml"
    file.write_text(FILE)
    plan = sg.plan(read_task(file))
    assert plan.converged, plan
    assert np.abs(rates(plan)[:, 0]).max() <= 60.0 * (1.0 + 1e-6) < np.abs(rates(plan)[:, 1]).max()
    for text, said in (
        ("jerk: {joint9: 60}", "task.yaml:7: .*no joint is called 'joint9'"),
        ("[jerk]", "task.yaml:7: limit 1: files of robots have no jerk limits"),
        ("{jerk: fast}", "task.yaml:7: limits: jerk"),
        ("{jrk: 1}", r"task.yaml:7: limits: there is no 'jrk' \(did you mean 'jerk'\?\)"),
    ):
        file.write_text(FILE.replace("{jerk: {joint1: 60}}", text if text[0] in "[{" else "{" + text + "}"))
        with pytest.raises(ScrewgraphError, match=said) as caught:
            sg.plan(read_task(file))
        assert "\n" not in str(caught.value)


def test_a_plan_that_is_lost_names_the_jerk():
    task = Task(
        sg.load(RAIL),
        horizon(8, duration=0.5),
        start=[0.0],
        goals=(Position([WAY]), *REST),
        limits=(JerkLimit(J),),
        costs=(Effort(1.0),),
    )
    plan = sg.plan(task)
    assert not plan.feasible
    assert "jerk of joint 'x' exceeds its limit by" in plan.reason or "goal 1" in plan.reason
