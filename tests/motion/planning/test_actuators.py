"""Plans of robots that actuators drive, beside inverse dynamics that share nothing with them but the robot."""

from dataclasses import replace

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError
from screwgraph.model.robot import LoopMotor
from screwgraph.motion.planning import Planner, Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit
from tests.mechanics.dynamics.test_actuators import DIFFERENTIAL, TENDONS

GOALS = Position([0.5, -0.4, 0.3]), Velocity()


def task(robot, goals=GOALS, **fields):
    start = robot.close_loops(robot.neutral()) if robot.is_closed else [0.1, 0.2, -0.3]
    return Task(robot, horizon(8, duration=1.0), start, goals=goals, costs=(Effort(1.0),), **fields)


def samples(plan):
    """Return states and efforts at the samples."""
    values, points = plan.values, plan.transcription.steps.points
    return values["q"][points], values["qd"][points], values["qdd"], values["tau"]


@pytest.mark.parametrize("robot", [DIFFERENTIAL, TENDONS], ids=["differential", "tendons"])
def test_efforts_are_the_smallest_that_cause_the_motion(robot):
    """Four tendons drive three joints: which efforts are the smallest is the affair of the cost here, of W there."""
    plan = Planner(task(robot)).solve()
    assert plan.converged, plan
    assert plan.efforts_of == tuple(a.name for a in robot.actuators)
    q, qd, qdd, efforts = samples(plan)
    expected = sg.inverse_dynamics(robot, actuators=True)(q, qd, qdd)
    assert efforts == pytest.approx(expected, abs=1e-5 * np.abs(expected).max())
    tau = sg.inverse_dynamics(robot)(plan.q[1:], plan.qd[1:], plan.qdd[1:])
    assert plan.tau[1:] == pytest.approx(tau, abs=1e-6 * np.abs(tau).max())


def test_a_motor_on_a_loop_joint_drives_a_plan():
    """Closure errors that collocation leaves are in accelerations, not in those of forward dynamics."""
    robot = sg.load("four_bar_linkage")
    robot = replace(robot, actuators=(LoopMotor("loop", robot.loops[0].name),))
    (name,) = robot.independent_joints
    there = robot.complete([robot.close_loops(robot.neutral())[robot.q_slices[name]][0] + 0.2])
    goals = Position({name: there[robot.q_slices[name]]}), Velocity()
    plan = Planner(task(robot, goals)).solve()
    assert plan.converged, plan
    q, qd, qdd, efforts = samples(plan)
    expected = sg.forward_dynamics(robot, actuators=True)(q, qd, efforts)
    assert qdd == pytest.approx(expected, abs=1e-2 * np.abs(expected).max())


def test_limits_are_those_of_actuators():
    free = Planner(task(DIFFERENTIAL)).solve()
    most = np.abs(free.efforts[:, 0]).max()
    plan = Planner(task(DIFFERENTIAL, limits=(EffortLimit({"m1": 0.8 * most}),))).solve()
    assert plan.converged, plan
    assert np.abs(plan.efforts[:, 0]).max() <= 0.8 * most * (1.0 + 1e-3)
    assert plan.cost > free.cost
    weak = Planner(task(DIFFERENTIAL, limits=(EffortLimit(1e-3),))).solve()
    assert not weak.feasible
    assert "of actuator 'm" in weak.reason


@pytest.mark.suite
def test_all_links_as_unknowns_give_the_same_plan():
    phases = horizon(3, duration=0.5)
    plans = [Planner(replace(task(DIFFERENTIAL), dynamics=kind, phases=phases)).solve() for kind in (True, "graph")]
    assert plans[1].cost == pytest.approx(plans[0].cost, rel=1e-6)
    assert plans[1].efforts == pytest.approx(plans[0].efforts, abs=1e-3 * np.abs(plans[0].efforts).max())


def test_joints_may_be_named_instead():
    plan = Planner(task(DIFFERENTIAL, actuated=DIFFERENTIAL.joint_names)).solve()
    assert plan.efforts_of == DIFFERENTIAL.joint_names
    assert plan.efforts == pytest.approx(plan.tau)


@pytest.mark.parametrize(
    ("fields", "message"),
    [
        ({"limits": (EffortLimit(),)}, "no effort limits of actuators"),
        ({"limits": (EffortLimit({"joint1": 1.0}),)}, "no actuator is called 'joint1'"),
        ({"actuated": ("m4",)}, "no joint to actuate is called 'm4'"),
        ({"dynamics": "condensed"}, "'condensed' is for torques of joints"),
    ],
)
def test_what_does_not_fit_is_refused(fields, message):
    with pytest.raises(InputError, match=message):
        Planner(task(DIFFERENTIAL, **fields))


def test_a_task_file_names_actuators(tmp_path):
    sg.save(DIFFERENTIAL, tmp_path / "arm.yaml")
    (tmp_path / "task.yaml").write_text(
        "robot: arm.yaml\nhorizon: {steps: 8, duration: 1}\nstart: {position: [0.1, 0.2, -0.3]}\n"
        "goals: [{position: [0.5, -0.4, 0.3], velocity: 0}]\ncosts: {effort: {m1: 1, m2: 2, m3: 1}}\n"
        "limits: [{effort: {m1: 100}}]\nactuated: [m1, m2, m3]\n"
    )
    plan = sg.plan(tmp_path / "task.yaml")
    assert plan.converged, plan
    assert plan.efforts_of == ("m1", "m2", "m3")
