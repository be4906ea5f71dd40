"""Thrusters: efforts along single coordinates of a base, as wrenches on it."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import ModelError
from screwgraph.model.robot import attach
from screwgraph.motion.planning import Task, horizon
from screwgraph.motion.planning.costs import Effort
from screwgraph.motion.planning.goals import Position, Velocity

ROBOT = """
bodies:
  - {{link: body, joint: base, type: floating, mass: 2, com: [0.1, 0, 0.02], inertia: [0.02, 0.05, 0.06]}}
  - {{link: arm, parent: body, joint: j1, axis: y, at: [0.2, 0, 0], mass: 1, com: [0.2, 0, 0], inertia: [0.01, 0.02, 0.03]}}
actuators: {actuators}
"""  # noqa: E501
JETS = """
  - {actuator: ahead, terms: {'base[3]': 1, 'base[1]': 0.2}}
  - {actuator: up, terms: {'base[5]': 1, 'base[0]': -0.1}}
  - {actuator: motor, terms: {j1: 2}}
"""


@pytest.fixture(scope="module")
def robot():
    return sg.load(ROBOT.format(actuators=JETS))


def test_jets_are_wrenches_on_the_body(robot):
    rng = np.random.default_rng(0)
    driven = sg.forward_dynamics(robot, actuators=True)
    pushed = sg.forward_dynamics(robot, external_wrenches=("body",))
    for _ in range(5):
        q, v, u = robot.manifold.random(rng), rng.standard_normal(robot.nv), rng.standard_normal(3)
        wrench = np.array([-0.1 * u[1], 0.2 * u[0], 0.0, u[0], 0.0, u[1]])  # moment, force: arms of 0.2 and 0.1 m
        tau = np.append(np.zeros(6), 2.0 * u[2])
        assert driven(q, v, u) == pytest.approx(pushed(q, v, tau, wrench[None]), rel=1e-9, abs=1e-9)
        power = v @ robot.actuation_matrix(q) @ u
        assert power == pytest.approx(wrench @ v[:6] + 2.0 * u[2] * v[6])


def test_a_plan_hovers_by_jets(robot):
    """Held up in gravity from rest to rest: thrust is the weight on average."""
    upright = {"base[0]": 0.0, "base[1]": 0.0, "base[5]": 0.1}
    goals = (Position(upright), Velocity({"base[5]": 0.0}))
    task = Task(robot, horizon(8, duration=0.4), start=robot.neutral(), goals=goals, costs=(Effort(1.0),))
    plan = sg.plan(task, refine=True)
    assert plan.solved, plan
    assert plan.efforts_of == ("ahead", "up", "motor")
    vertical = sg.centroidal_momentum(robot)(plan.q[[0, -1]], plan.qd[[0, -1]])[:, 5]
    times = np.linspace(0.0, 0.4, 2001)
    turn = sg.forward_kinematics(robot, ["body"])(plan.at(times).q)[:, 0, :3, :3]
    force = plan.effort(times)
    lift = turn[:, 2, 0] * force[:, 0] + turn[:, 2, 2] * force[:, 1]
    assert np.trapezoid(lift, times) == pytest.approx(robot.mass * 9.81 * 0.4 + np.diff(vertical)[0], rel=2e-3)


def test_thrusters_survive_files_mounts_and_locks(robot, tmp_path):
    sg.save(robot, tmp_path / "robot.yaml")
    again = sg.load(tmp_path / "robot.yaml")
    q = robot.neutral()
    assert again.actuation_matrix(q) == pytest.approx(robot.actuation_matrix(q))
    locked = sg.load(tmp_path / "robot.yaml", lock=("j1",))
    assert [a.name for a in locked.actuators] == ["ahead", "up"]


@pytest.mark.parametrize(
    ("terms", "said"),
    [
        ("{'base[6]': 1}", "joint 'base' has 6 coordinates"),
        ("{'bse[1]': 1}", "no joint has that name"),
        ("{'base[1]': 1, base: 1}", "several coordinates"),
        ("{'base[1]': 1, j1: two}", "'two' is no number"),
    ],
)
def test_coordinates_that_are_none_are_refused(terms, said):
    with pytest.raises(ModelError, match=said):
        sg.load(ROBOT.format(actuators=f"[{{actuator: a, terms: {terms}}}]\n"))


def test_names_of_coordinates_go_with_their_robot(robot):
    both = attach(sg.load("rr"), robot, sg.load("rr").links[-1].name, prefix="sat_")
    assert dict(both.actuators[0].terms) == {"sat_base[3]": 1.0, "sat_base[1]": 0.2}
    assert both.actuation_matrix(both.neutral())[2:] == pytest.approx(robot.actuation_matrix(robot.neutral()))
