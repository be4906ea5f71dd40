"""Plans of planar mechanisms: the motion under the planned torques is the planned motion."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.mechanics.mechanism import compile_mechanism
from screwgraph.motion.planning import Task, horizon, save_plan
from screwgraph.motion.planning.contacts import PointContact
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Pose, Position, Velocity
from screwgraph.motion.planning.limits import EffortLimit, VelocityLimit
from screwgraph.motion.simulation import read_trajectory
from tests.robots import shared_file


def planned(name, start, goal, steps=40, **more):
    mechanism = sg.load_mechanism(name)
    goals = (Position(goal), Velocity())
    task = Task(mechanism, horizon(steps, duration=1.0), start=start, goals=goals, costs=(Effort(),), **more)
    return mechanism, sg.plan(task)


def simulated(mechanism, plan, count):
    """Largest distance of the simulated motion under the planned torques from the planned points."""
    run = sg.simulate(
        mechanism,
        plan.q[0],
        plan.qd[0],
        time=1.0,
        dt=1.0 / (4 * count),
        tau=lambda t, q, qd: plan.at(min(t, 1.0)).tau,
    )
    return np.abs(run.q[:: 4 * count // (len(plan.t) - 1)] - plan.q).max()


def test_a_plan_in_space_is_carried_out():
    """An RSSR turns its crank by a radian, its ball joints where they close; loops hold along the plan."""
    mechanism, plan = planned("rssr", {"theta": np.pi / 6}, {"theta": 1.4}, collocation="hermite_simpson")
    assert plan.solved
    torque = lambda t, q, qd: [np.interp(t, plan.t, plan.tau[:, 0])]  # noqa: E731
    run = sg.simulate(mechanism, plan.q[0], plan.qd[0], time=1.0, dt=2.5e-3, tau=torque, method="rk4")
    assert abs(run.coordinate("theta")[-1] - 1.4) < 1e-2
    assert max(np.abs(mechanism.closing_program.interpreter(q)[0]).max() for q in plan.q) < plan.error


def test_a_leg_that_runs_through_a_fast_stretch_is_planned_on_steps_that_are_short_there():
    """A Klann leg's crank is five times as fast beside a dead point; a rough mesh has an optimum of its own there.

    The motion under the planned torque ends within a per cent of the way; on the rough mesh alone, far from it.
    """
    leg = sg.load_mechanism(str(shared_file("strangers", "klann.yaml")))
    crank = leg.index("crank")
    goals = (Position({"crank": leg.home[crank] - 3.0}), Velocity())
    task = Task(leg, horizon(20, duration=1.0), start=leg.home, goals=goals, costs=(Effort(),))
    plan = sg.plan(task)
    assert plan.solved, plan

    def torque(t, q, qd):
        return plan.at(min(t, 1.0)).tau

    run = sg.simulate(leg, plan.q[0], plan.qd[0], time=1.0, dt=0.01, tau=torque, method="rk4")
    assert np.abs(run.q[-1] - plan.q[-1]).max() < 0.01 * 3.0
    assert sg.plan(task, refine=False).coarse


@pytest.mark.sampled(2)
@pytest.mark.parametrize(
    ("name", "start", "goal"),
    [
        ("four_bar_angle", {"theta": 0.3}, {"theta": 1.2}),
        ("slider_crank", {"theta": 0.5}, {"theta": 2.0}),
        ("double_pendulum", {"shoulder": -1.57, "elbow": -1.57}, {"shoulder": -0.5, "elbow": -1.0}),
    ],
)
@pytest.mark.suite
def test_the_motion_under_the_planned_torques_is_the_plan(name, start, goal):
    errors = []
    for steps in (20, 40):
        mechanism, plan = planned(name, start, goal, steps, collocation="hermite_simpson")
        assert plan.solved, plan.reason
        for coordinate, value in goal.items():
            assert plan.q[-1, mechanism.index(coordinate)] == pytest.approx(value, abs=1e-6)
        assert np.abs(compile_mechanism(mechanism).closing(plan.q)[0]).max() < 1e-4
        errors.append(simulated(mechanism, plan, 80))
    assert errors[1] < 2e-3
    assert errors[1] < errors[0] / 4.0


def test_limits_of_motors_and_velocities_are_kept():
    limits = (EffortLimit(60.0), VelocityLimit({"theta": 1.3}))
    mechanism, plan = planned("four_bar_angle", {"theta": 0.3}, {"theta": 1.2}, limits=limits)
    assert plan.solved
    theta = mechanism.index("theta")
    assert plan.tau.shape == (len(plan.t), 1)
    assert np.abs(plan.tau).max() < 60.0 + 1e-6
    assert np.abs(plan.qd[:, theta]).max() < 1.3 + 1e-6


TASK = """
mechanism: four_bar_angle
horizon: {steps: 20, duration: 1.0}
start: {position: {theta: 0.3}}
goals: [{time: end, position: {theta: 1.2}, velocity: 0}]
costs: {effort: 1}
"""


def test_a_task_file_names_a_mechanism_and_its_plan_is_saved(tmp_path):
    (tmp_path / "task.yaml").write_text(TASK)
    plan = sg.plan(str(tmp_path / "task.yaml"))
    assert plan.solved
    save_plan(plan, tmp_path / "plan.csv")
    assert (tmp_path / "plan.csv").read_text().startswith("t,q:x:P1,q:y:P1,")
    scene = sg.view.plan_scene(plan)
    assert len(scene.t) == len(plan.t)
    save_plan(plan, tmp_path / "plan.npz")
    assert read_trajectory(tmp_path / "plan.npz").model.name == "four_bar_angle"


@pytest.mark.parametrize(
    ("more", "line"),
    [
        ({"dynamics": "graph"}, "dynamics 'graph' is for robots"),
        ({"goals": (Pose("coupler", of=np.zeros(2)),)}, "there is no frame 'coupler' on a mechanism"),
        ({"contacts": (PointContact("coupler"),)}, "there is no frame 'coupler' on a mechanism"),
        ({"goals": (Position({"phi": 1.0}),)}, "no joint is called 'phi'"),
    ],
)
def test_what_mechanics_does_not_allow_is_one_line(more, line):
    mechanism = sg.load_mechanism("four_bar_angle")
    with pytest.raises(sg.InputError, match=line) as caught:
        sg.plan(Task(mechanism, horizon(5, dt=0.1), **more))
    assert "\n" not in str(caught.value)


def test_coordinates_that_no_motor_drives_are_not_actuated():
    mechanism = sg.load_mechanism("four_bar_angle")
    with pytest.raises(sg.InputError, match=r"no motor drives the coordinate 'x:P1'.* drive theta"):
        sg.plan(Task(mechanism, horizon(5, dt=0.1), actuated=("x:P1",)))


def test_a_mechanism_without_motors_has_no_torques():
    mechanism = sg.load_mechanism("four_bar")
    with pytest.raises(sg.InputError, match="nothing is actuated"):
        sg.plan(Task(mechanism, horizon(5, dt=0.1), costs=(Effort(),)))
