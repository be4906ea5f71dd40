"""Controllers in closed loops with simulations, and what is reported of them."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.base.errors import InputError, ModelError
from screwgraph.motion.control import (
    BallBarrier,
    ControlLimits,
    ControlLoop,
    EffortTask,
    FrameTask,
    LinkCapsule,
    MomentumTask,
    PostureTask,
)
from tests.motion.control.robots import arm, crouched, feet, tripod

YAML = """
tasks:
  - {frame: tip, of: position, stiffness: 400}
  - {posture: [], weight: 1e-4}
limits: {dt: 2e-3}
"""


def test_an_arm_follows_a_point_that_varies_with_time():
    robot, q0, w = arm(), np.array([0.1, -0.4, 0.8]), 4.0
    start = sg.forward_kinematics(robot, "tip")(q0)[:3, 3]

    def place(t):
        return start + np.array([0.0, 0.05 * (1.0 - np.cos(w * t)), 0.0])

    def rates(t):
        return np.array([[0.0, 0.05 * w * np.sin(w * t), 0.0], [0.0, 0.05 * w * w * np.cos(w * t), 0.0]])

    tasks = [FrameTask("tip", of="position", stiffness=400.0), PostureTask(weight=1e-5)]
    given = {"tip_position": place, "tip_position_rates": rates}
    loop = ControlLoop(robot, tasks, limits=ControlLimits(dt=2e-3), q0=q0, references=given)
    motion = sg.simulate(robot, q0, time=0.6, dt=2e-3, controller=loop)
    assert motion.method == "semi_implicit"
    report = loop.report(motion)
    moved = np.array([np.linalg.norm(sg.forward_kinematics(robot, "tip")(q)[:3, 3] - place(t))
                      for t, q in zip(motion.t[::50], motion.q[::50], strict=True)])  # fmt: skip
    np.testing.assert_allclose(report.errors["tip_position"][::50], moved, atol=1e-12)
    assert report.errors["tip_position"].max() < 2e-3
    assert report.statuses == {"solved": len(motion.t)}
    expected = 1.0 - np.abs(motion.tau / 60.0).max(axis=1)
    np.testing.assert_allclose(report.margins["efforts"], expected, atol=1e-12)
    assert "error of tip_position: largest" in str(report)


def test_active_rows_have_names():
    robot, q0 = arm(), np.array([0.0, 1.95, 0.0])
    loop = ControlLoop(robot, [PostureTask(stiffness=400.0)], q0=q0, references={"posture": np.array([0.0, 2.4, 0.0])})
    report = loop.report(sg.simulate(robot, q0, time=0.2, dt=1e-3, controller=loop))
    assert report.active["range of lift"] > 0.5
    assert set(report.active) <= {"range of lift", "effort of lift"}
    assert report.margins["positions"].min() > -1e-3


def test_a_body_stands_on_contacts_of_its_controller():
    robot = tripod()
    q = crouched(robot)
    loop = ControlLoop(robot, [FrameTask("body"), PostureTask(weight=1e-3)], feet(friction=0.7), q0=q)
    motion = sg.simulate(robot, q, time=0.1, dt=2e-3, controller=loop)
    assert np.abs(motion.q - q).max() < 1e-3
    np.testing.assert_allclose(motion.tau[:, :6], 0.0, atol=0.0)


def test_files_and_wrong_arguments(tmp_path):
    (tmp_path / "reach.yaml").write_text(YAML)
    q0 = np.array([0.1, -0.4, 0.8])
    motion = sg.simulate(arm(), q0, time=0.05, dt=2e-3, controller=str(tmp_path / "reach.yaml"))
    assert np.abs(motion.q - q0).max() < 1e-3
    with pytest.raises(InputError, match="the controller gives torques"):
        sg.simulate(arm(), q0, time=0.05, dt=2e-3, tau=np.zeros(3), controller=str(tmp_path / "reach.yaml"))
    with pytest.raises(ModelError, match="no body or point is called 'tip'"):
        sg.simulate(sg.load("four_bar"), time=0.05, controller=str(tmp_path / "reach.yaml"))
    with pytest.raises(InputError, match="expected a ControlLoop or the path of a file"):
        sg.simulate(arm(), q0, time=0.05, controller=3)  # pyright: ignore[reportArgumentType]
    with pytest.raises(InputError, match="no argument 'tip'"):
        ControlLoop(arm(), [PostureTask()], references={"tip": np.zeros(3)})


def test_references_that_no_position_says_have_to_be_given():
    ball = BallBarrier(LinkCapsule("bend_link", 0.05, (0.0, 0.0, 0.0), (0.2, 0.0, 0.0)), 0.1)
    with pytest.raises(InputError, match="no value of 'ball'"):
        ControlLoop(arm(), [PostureTask()], barriers=[ball])
    with pytest.raises(InputError, match="no value of 'effort'"):
        ControlLoop(arm(), [EffortTask()])
    ControlLoop(arm(), [PostureTask(), MomentumTask()])
    ControlLoop(arm(), [PostureTask()], barriers=[ball], references={"ball": np.array([1.0, 0.0, 0.0])})


def test_without_a_state_joints_begin_within_their_ranges():
    """A Panda's fourth joint is never at 0, where files without ranges begin."""
    robot = sg.load("panda")
    motion = sg.simulate(robot, time=0.01, dt=1e-3, controller=ControlLoop(robot, [PostureTask()]))
    assert ((motion.q > robot.limits.lower) & (motion.q < robot.limits.upper)).all()
    assert np.abs(motion.q - motion.q[0]).max() < 1e-9  # references are where it begins
    assert motion.doubts == ()


@pytest.mark.parametrize("wrong", [np.diag([2.0, 1.0, 1.0]), np.diag([1.0, 1.0, -1.0]), np.full((3, 3), np.nan)])
def test_references_that_are_no_rotations_are_refused(wrong):
    with pytest.raises(InputError, match=r"tip_orientation"):
        ControlLoop(arm(), [FrameTask("tip", of="orientation")], references={"tip_orientation": wrong})
