"""Examples of exported controllers: calls that have torques, so that a library's own test tests something."""

import numpy as np
import pytest

import screwgraph as sg
from screwgraph.model.robot import constraint_jacobian
from screwgraph.motion.control import FrameTask, PostureTask, controller
from tests.api.deployment.tools import WARNINGS, done, found
from tests.motion.control.test_controllers import arm_controller, body_controller
from tests.motion.control.test_own_templates import make_own


def five_bar_controller():
    robot = sg.load("five_bar")
    return robot, controller(robot, [FrameTask("end_effector", of="position")])


def pose_controller():
    robot = sg.load("panda")
    return robot, controller(robot, [FrameTask("panda_hand_tcp"), PostureTask(weight=1e-2)])


MAKERS = [arm_controller, body_controller, five_bar_controller, pose_controller, lambda: (None, make_own()[0])]


@pytest.mark.parametrize("which", MAKERS, ids=["arm", "body", "five bar", "poses", "own"])
def test_examples_have_torques(which):
    robot, f = which()
    examples = f.origin.examples()
    results = f(*(np.reshape(x, (len(x), *a.shape)) for x, a in zip(examples, f.arguments, strict=True)))
    tau, active, status = results[0], results[-2], results[-1][:, 0]
    assert set(status) <= {0.0, 1.0}
    assert (abs(tau).max(axis=1) > 1e-3).all()
    np.testing.assert_array_equal(examples[-1][1::2], active[::2])  # second calls go on from first ones
    if robot is not None and robot.is_closed:
        for q, qd in zip(*examples[:2], strict=True):
            np.testing.assert_allclose(robot.close_loops(q, robot.independent_joints), q, atol=1e-6)
            np.testing.assert_allclose(constraint_jacobian(robot, q) @ qd, 0.0, atol=1e-6)


def test_a_closed_chain_passes_its_own_test_in_c(tmp_path):
    """Random positions, whose loops are open, and weights below zero gave flags that rounding decides."""
    _, f = five_bar_controller()
    sg.export_library({"control": f}, tmp_path, prefix="bar")
    compiler = found("gcc", "clang", "cc")
    done(compiler, "-std=c99", *WARNINGS, "-O1", "-I.", "bar.c", "test/bar_test.c", "-o", "t", "-lm", cwd=tmp_path)
    assert "0 numbers differ" in done("./t", cwd=tmp_path)
